import { isRecord, memberOf, tryParseJson } from '@modelrun/kit'
import * as z from 'zod/mini'
import { afterRealTime } from '../clock/real-time.ts'
import type { Job } from '../domain/job.ts'
import type { RequestEnv } from '../routes/app-env.ts'
import type { Service } from '../service/service.ts'
import { type ReplyOrFault, toResponse } from '../wire/messages.ts'
import { post, requireKey } from './route.ts'

const runSchema = z.strictObject({
  model: z.string(),
  input: z.optional(z.record(z.string(), z.unknown())),
  sync: z.optional(z.boolean()),
  webhook_url: z.optional(z.string()),
  key: z.optional(z.string()),
})

/** So long, in milliseconds of real time, the call waits for a response; for one whose job exists already, less. */
const LONGEST_MS = 1_000
const AFTER_JOB_MS = 100

export const RUN_ROUTES = [
  post('sendRun', 'runs').taking(runSchema, async (service, body, { env }) => {
    const request = requestOf(service, body)
    let made: Job | undefined
    let onJob: RequestEnv['onJob']
    const created = new Promise<void>((resolve) => {
      onJob = (job) => {
        made = job
        service.jobTimers.schedule(job) // no client waits for it
        resolve()
      }
    })
    const responded = env.handle(request, { transport: 'fetch', onJob }).then(outcomeOf)
    env.work.park() // time would wait for this very request
    const outcome = await Promise.race([responded, after(LONGEST_MS), created.then(() => after(AFTER_JOB_MS))])
    env.work.resume()
    return { job_id: made?.id, status: outcome?.status, message: outcome?.message }
  }),
]

function requestOf(service: Service, body: z.infer<typeof runSchema>): Request {
  const { model, key = service.firstKey.key, ...sent } = body
  // A URL cannot hold half of a surrogate pair.
  const path = `/v1/models/${encodeURIComponent(model.replaceAll(/\p{Surrogate}/gu, '\ufffd'))}/run`
  const authorization = `Bearer ${requireKey(service, key).key}`
  const headers = { authorization, 'content-type': 'application/json', 'user-agent': 'dashboard' }
  return new Request(`${service.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(sent) })
}

/** The status, and what went wrong. */
async function outcomeOf(reply: ReplyOrFault): Promise<{ status?: number; message?: string | undefined }> {
  if (reply.status === undefined) return { message: `No response: the connection broke (${reply.fault}).` }
  const { status } = reply
  const body = tryParseJson(
    await toResponse(reply)
      .text()
      .catch(() => ''),
  )
  if (!isRecord(body)) return { status, message: 'The body of the response is not JSON.' }
  const message = memberOf(body.error, 'message')
  return { status, message: message === undefined ? undefined : String(message) }
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => afterRealTime(ms, () => resolve(undefined)))
}
