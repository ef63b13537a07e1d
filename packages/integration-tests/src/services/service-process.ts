import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { findProgram } from './programs.ts'

/** How long a service may take to start. */
const START_LIMIT_MS = 30_000

/** A service that a test started. */
export interface Service {
  port: number
  /** Ends the service, and what it kept. */
  stop(): Promise<void>
}

export interface ServiceCommand {
  program: string
  args: string[]
  options: SpawnOptions
  /** What it prints when it takes connections. */
  readyPattern: RegExp
}

/** Starts a program and waits until it says that it is ready. It ends with this process, or when it is stopped. */
export async function startProcess(command: ServiceCommand): Promise<ChildProcess> {
  const { program, args, options, readyPattern } = command
  const child = spawn(requireProgram(program), args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const endWithUs = () => child.kill('SIGKILL')
  process.once('exit', endWithUs)
  child.once('exit', () => process.off('exit', endWithUs))
  await ready(child, program, readyPattern)
  return child
}

/** Ends a program by its own id, and waits until it is gone. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}

export function requireProgram(name: string): string {
  const path = findProgram(name)
  const packages = 'redis-server postgresql pgbouncer mariadb-server-core chromium varnish nginx-light'
  if (path === undefined) throw new Error(`${name} is not installed. On Debian: apt-get install ${packages}`)
  return path
}

/** A port that was free a moment ago: Redis, Postgres and MariaDB do not take port 0. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('The probe has no port.')
  return address.port
}

function ready(child: ChildProcess, program: string, pattern: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    const fail = (what: string) => reject(new Error(`${program} ${what}. It printed:\n${output}`))
    const timer = setTimeout(() => fail('was not ready in time'), START_LIMIT_MS)
    const onData = (chunk: Buffer) => {
      output += chunk
      if (!pattern.test(output)) return
      clearTimeout(timer)
      resolve()
    }
    child.stdout?.on('data', onData)
    child.stderr?.on('data', onData)
    child.once('error', (error) => fail(`did not start (${error.message})`))
    child.once('exit', (code) => {
      clearTimeout(timer)
      fail(`ended with code ${code}`)
    })
  })
}
