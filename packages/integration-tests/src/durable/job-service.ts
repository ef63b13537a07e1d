import { createServer } from 'node:http'
import type { SucceededEvent } from 'modelrun/webhooks'
import { listenOn } from '../../../kit/test/listen-on.ts'

/** The service: it runs jobs, and says how they are when it is polled. */
export interface JobService {
  url: string
  /** Starts a job. */
  start(job: string): void
  /** Ends a job, and gives what is to be delivered. */
  finish(job: string): SucceededEvent
  /** What is delivered of a job in the end. */
  resultOf(job: string): SucceededEvent
  /** The next poll of a job gets its response when it is released. */
  hold(job: string): { asked: Promise<void>; release(): void }
  close(): Promise<void>
}

export async function startJobService(): Promise<JobService> {
  const statuses = new Map<string, 'processing' | 'succeeded'>()
  const holds = new Map<string, () => Promise<void>>()
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const [, job = ''] = /^\/v1\/jobs\/([^/?]+)$/.exec(request.url ?? '') ?? []
    const hold = holds.get(job)
    holds.delete(job)
    await hold?.()
    const status = statuses.get(job)
    const body =
      status === undefined ? { error: { code: 'NOT_FOUND', message: 'gone' } } : { data: describe(job, status) }
    response.writeHead(status === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  const { port, close } = await listenOn(server)
  return {
    url: `http://127.0.0.1:${port}`,
    start: (job) => void statuses.set(job, 'processing'),
    finish: (job) => {
      statuses.set(job, 'succeeded')
      return resultOf(job)
    },
    resultOf,
    hold: (job) => {
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const asked = new Promise<void>((resolve) => {
        holds.set(job, () => {
          resolve()
          return released
        })
      })
      return { asked, release }
    },
    close,
  }
}

function describe(job: string, status: 'processing' | 'succeeded') {
  return status === 'succeeded' ? { status, output: outputOf(job) } : { status }
}

function resultOf(job: string): SucceededEvent {
  const completed_at = '2026-01-15T09:31:07.412Z'
  return { job_id: job, status: 'succeeded', output: outputOf(job), credits_used: 6, completed_at }
}

export function outputUrlOf(job: string): string {
  return `https://files.example.com/${job}/0.png`
}

function outputOf(job: string) {
  return { type: 'image', items: [{ type: 'image', url: outputUrlOf(job) }] }
}
