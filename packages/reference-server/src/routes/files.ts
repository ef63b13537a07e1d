import { fileOf } from '../domain/produce-output.ts'
import { FILE_FORMS, produceFile } from '../media/produce-file.ts'
import type { Service } from '../service/service.ts'
import { errorResponse } from '../wire/error-responses.ts'
import type { Reply } from '../wire/messages.ts'
import type { AppContext, RouteResult } from './app-env.ts'

/**
 * `GET /files/{job_id}/{index}.{ext}`: a produced file (section 2.5). Needs no key. The bytes are made on demand; `HEAD`
 * makes none, and has no `content-length`.
 */
export function getFileRoute(service: Service, context: AppContext): RouteResult {
  const job = service.jobs.find(context.req.param('job'))
  const file = job && fileOf(job, context.req.param('name'))
  if (file === undefined) {
    const message = 'There is no such file. The output of a job that succeeded lists its files.'
    return { job, response: errorResponse('NOT_FOUND', message) }
  }
  if ('bytes' in file) return { job, response: fileReply(file) }
  if (context.req.method !== 'HEAD') return { job, response: fileReply(produceFile(file)) }
  return { job, response: { status: 200, headers: { 'content-type': FILE_FORMS[file.kind].contentType } } }
}

function fileReply({ bytes, contentType }: { bytes: Uint8Array<ArrayBuffer>; contentType: string }): Reply {
  const headers = { 'content-type': contentType, 'content-length': String(bytes.byteLength) }
  return { status: 200, headers, body: bytes }
}
