import { fileOf } from '../domain/produce-output.ts'
import type { Service } from '../service/service.ts'
import type { AppContext } from './app-env.ts'
import { refusals } from './refusals.ts'

/** `GET /files/{job_id}/{index}.{ext}`: a produced file (section 2.5). Needs no key; the bytes are made on demand. */
export function answerFile(service: Service, context: AppContext): Response {
  const job = service.jobs.find(context.req.param('job') ?? '')
  context.env.trace.job = job
  const file = job && fileOf(job, context.req.param('name') ?? '')
  if (file === undefined) {
    return refusals.notFound('There is no such file. The output of a job that succeeded lists its files.')
  }
  const { bytes, contentType } = file
  return new Response(bytes, {
    headers: { 'content-type': contentType, 'content-length': String(bytes.byteLength) },
  })
}
