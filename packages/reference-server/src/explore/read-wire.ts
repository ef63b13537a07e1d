import { ROUTES } from '@modelrun/contract'
import * as z from 'zod/mini'

const JOB_PATH = /\/v1\/jobs\/([^/]+)$/

/** A poll or a cancel. `undefined` for every other request. */
export function jobOfPath({ method, url }: Request): { jobId: string; isCancel: boolean } | undefined {
  const jobId = JOB_PATH.exec(new URL(url).pathname)?.[1]
  if (jobId === undefined) return undefined
  if (method === ROUTES.cancelJob.method) return { jobId, isCancel: true }
  return method === ROUTES.getJob.method ? { jobId, isCancel: false } : undefined
}

const responseSchema = /* @__PURE__ */ (() =>
  z.object({ job_id: z.optional(z.string()), data: z.optional(z.object({ status: z.optional(z.string()) })) }))()

/** What a client sees in a response: the job of a run, and the status of a job or of the response. */
export async function seenStatus(response: Response): Promise<{ jobId: string | undefined; status: string }> {
  const text = response.body === null ? '' : await response.clone().text()
  const parsed = responseSchema.safeParse(parseJson(text))
  const status = parsed.data?.data?.status ?? String(response.status)
  return { jobId: parsed.data?.job_id, status }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
