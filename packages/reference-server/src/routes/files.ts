import { fileOf, scriptedFileOf } from '../domain/produce-output.ts'
import { FILE_FORMS, produceFile } from '../media/produce-file.ts'
import type { Service } from '../service/service.ts'
import { errorResponse } from '../wire/error-responses.ts'
import type { Reply } from '../wire/messages.ts'
import type { AppContext, RouteResult } from './app-env.ts'

/** A file that a script has as a data URI. */
async function scriptedFile(dataUri: string): Promise<Reply> {
  const file = await fetch(dataUri).catch(() => undefined)
  if (file === undefined) return errorResponse('NOT_FOUND', 'The script of this file is not a data URI.')
  const body = new Uint8Array(await file.arrayBuffer())
  const headers = { 'content-type': file.headers.get('content-type') ?? '', 'content-length': String(body.byteLength) }
  return { status: 200, headers, body }
}

/**
 * `GET /files/{job_id}/{index}.{ext}`: a produced file (section 2.5). Needs no key. The bytes are made on demand; `HEAD`
 * makes none, and has no `content-length`.
 */
export async function getFileRoute(service: Service, context: AppContext): Promise<RouteResult> {
  const job = service.jobs.find(context.req.param('job'))
  const scripted = job && scriptedFileOf(job, context.req.param('name'))
  if (scripted !== undefined) return { job, response: await scriptedFile(scripted) }
  const file = job && fileOf(job, context.req.param('name'))
  if (file === undefined) {
    const message = 'There is no such file. The output of a job that succeeded lists its files.'
    return { job, response: errorResponse('NOT_FOUND', message) }
  }
  const headers = { 'content-type': FILE_FORMS[file.kind].contentType }
  if (context.req.method === 'HEAD') return { job, response: { status: 200, headers } }
  const { bytes } = produceFile(file)
  return {
    job,
    response: { status: 200, headers: { ...headers, 'content-length': String(bytes.byteLength) }, body: bytes },
  }
}
