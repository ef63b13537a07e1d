import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { ServerName } from './installed.ts'
import { JOB_PATH } from './job.ts'
import type { RunningServer } from './start.ts'

const CONNECTIONS = 50
const WARM_UP_S = 1
const DURATION_S = 3

/** Linux counts processor time in hundredths of a second. */
const MICROSECONDS_PER_TICK = 10_000

export interface Target {
  path: string
  authorization: string
}

export interface Throughput {
  responsesPerSecond: number
  /** Processor time of the server's process for each response. */
  cpuMicroseconds: number
}

const run = promisify(execFile)

/** @throws Error that says what to install, when the load generator is missing */
export async function requireWrk(): Promise<void> {
  // It ends with 1 after its version.
  const { code } = (await run('wrk', ['--version']).catch((error: { code: unknown }) => error)) as { code?: unknown }
  if (code === 'ENOENT')
    throw new Error('This bench loads the servers with wrk, which is missing: apt-get install wrk.')
}

/** Responses to `GET` of a finished job, on 50 connections. */
export async function measureThroughput({
  server,
  target,
}: {
  server: RunningServer
  target: Target
}): Promise<Throughput> {
  await load(server, target, WARM_UP_S)
  const ticksBefore = ticksOf(server)
  const responses = await load(server, target, DURATION_S)
  const cpuMicroseconds = ((ticksOf(server) - ticksBefore) * MICROSECONDS_PER_TICK) / responses
  return { responsesPerSecond: responses / DURATION_S, cpuMicroseconds }
}

/** @returns how many responses came */
async function load({ port }: RunningServer, { path, authorization }: Target, seconds: number): Promise<number> {
  const options = ['--threads', '1', '--connections', String(CONNECTIONS), '--duration', `${seconds}s`]
  const url = `http://127.0.0.1:${port}${path}`
  const { stdout } = await run('wrk', [...options, '--header', `Authorization: ${authorization}`, url])
  const responses = /(\d+) requests in/.exec(stdout)?.[1]
  if (responses === undefined || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`)
  return Number(responses)
}

/** User and system time of a process (proc(5)), of all its threads. */
function ticksOf({ pid }: RunningServer): number {
  // The name of the program, in brackets, may hold blanks.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** What to ask a server for; the reference server gets a job first. */
export async function targetOf(name: ServerName, { port }: RunningServer, apiKey: string): Promise<Target> {
  const authorization = `Bearer ${apiKey}`
  if (name !== 'reference server') return { path: JOB_PATH, authorization }
  const response = await fetch(`http://127.0.0.1:${port}/v1/models/aurora-image/run`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ input: { prompt: 'a red fox' } }),
  })
  const run: unknown = await response.json()
  return { path: `/v1/jobs/${String(Reflect.get(Object(run), 'job_id'))}`, authorization }
}
