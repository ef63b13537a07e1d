import { ROUTES } from '@modelrun/contract'
import * as z from 'zod/mini'
import type { IncomingRequest, ReplyOrFault } from '../http/messages.ts'
import { pathOf } from '../http/router.ts'

const JOB_PATH = /\/v1\/jobs\/([^/]+)$/

/** A poll or a cancel. `undefined` for every other request. */
export function jobOfPath({ method, url }: IncomingRequest): { jobId: string; isCancel: boolean } | undefined {
  const jobId = JOB_PATH.exec(pathOf(url))?.[1]
  if (jobId === undefined) return undefined
  if (method === ROUTES.cancelJob.method) return { jobId, isCancel: true }
  return method === ROUTES.getJob.method ? { jobId, isCancel: false } : undefined
}

const responseSchema = /* @__PURE__ */ (() =>
  z.object({ job_id: z.optional(z.string()), data: z.optional(z.object({ status: z.optional(z.string()) })) }))()

/** What a client sees in a response: the job of a run, and the status of a job or of the response. */
export function seenStatus(reply: ReplyOrFault): { jobId: string | undefined; status: string } {
  if (reply.status === undefined) return { jobId: undefined, status: reply.fault }
  const parsed = responseSchema.safeParse(parseJson(typeof reply.body === 'string' ? reply.body : ''))
  const status = parsed.data?.data?.status ?? String(reply.status)
  return { jobId: parsed.data?.job_id, status }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
