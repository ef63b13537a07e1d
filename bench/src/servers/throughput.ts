import type { HttpLoadJob, HttpLoadResult } from '../children/http-load.ts'
import { runChild } from '../harness/child.ts'
import type { ServerName } from './installed.ts'
import { JOB_PATH } from './job.ts'
import type { RunningServer } from './start.ts'

const LOAD = { connections: 50, warmUpMs: 1_000, durationMs: 2_000 }

type Target = Pick<HttpLoadJob, 'path' | 'headers'>

interface Load {
  server: RunningServer
  target: Target
}

/** Responses to `GET` of a finished job, on 50 connections. */
export async function measureThroughput({ server, target }: Load): Promise<number> {
  const job: HttpLoadJob = { port: server.port, ...target, ...LOAD }
  const { result } = await runChild<HttpLoadResult>('http-load', job)
  if (result.rejected > 0)
    throw new Error(`Port ${server.port} rejected ${result.rejected} requests for ${target.path}.`)
  return result.responsesPerSecond
}

/** What to ask a server for; the reference server gets a job first. */
export async function targetOf(name: ServerName, { port }: RunningServer, apiKey: string): Promise<Target> {
  if (name !== 'reference server') return { path: JOB_PATH, headers: {} }
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await fetch(`http://127.0.0.1:${port}/v1/models/aurora-image/run`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ input: { prompt: 'a red fox' } }),
  })
  const run: unknown = await response.json()
  return { path: `/v1/jobs/${String(Reflect.get(Object(run), 'job_id'))}`, headers }
}
