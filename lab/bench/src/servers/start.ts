import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerName } from './installed.ts'
import { argumentsOf } from './programs.ts'

const POLL_INTERVAL_MS = 2
const LIMIT_MS = 30_000

/** A server in a process of its own. */
export interface RunningServer {
  port: number
  pid: number
  /** From the start of the process to its first response, whatever it is. */
  firstResponseMs: number
  stop(): Promise<void>
}

/** Starts a server, and asks it until it responds. */
export async function start(name: ServerName): Promise<RunningServer> {
  const port = await freePort()
  const args = argumentsOf(name, port)
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  const stop = () => end(child)
  try {
    while (!(await responds(port))) await goOn(name, child, startedAt)
  } catch (error) {
    await stop()
    throw error
  }
  return { port, pid: child.pid ?? 0, firstResponseMs: performance.now() - startedAt, stop }
}

async function goOn(name: ServerName, child: ChildProcess, startedAt: number): Promise<void> {
  if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${child.spawnargs.join(' ')}`)
  if (performance.now() - startedAt > LIMIT_MS) throw new Error(`${name} did not respond within ${LIMIT_MS / 1_000} s.`)
  await sleep(POLL_INTERVAL_MS)
}

function responds(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path: '/v1/models', agent: false }, (response) => {
      response.resume().once('end', () => resolve(true))
    })
    request.once('error', () => resolve(false))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

/** The peers cannot choose one themselves. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  server.close()
  await once(server, 'close')
  return port
}
