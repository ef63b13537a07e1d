import { fileOf, scriptedFileOf } from '../domain/produce-output.ts'
import { FILE_FORMS } from '../media/produce-file.ts'
import type { Service } from '../service/service.ts'
import { errorResponses } from '../wire/error-responses.ts'
import type { Reply } from '../wire/messages.ts'
import type { AppContext, RouteResult } from './app-env.ts'

/** A file that a script has as a data URI. */
async function scriptedFile(dataUri: string): Promise<Reply> {
  const file = await fetch(dataUri).catch(() => undefined)
  if (file === undefined) return errorResponses.notFound('The script of this file is not a data URI.')
  const body = new Uint8Array(await file.arrayBuffer())
  const headers = { 'content-type': file.headers.get('content-type') ?? '', 'content-length': String(body.byteLength) }
  return { status: 200, headers, body }
}

/**
 * `GET /files/{job_id}/{index}.{ext}`: a produced file (section 2.5). Needs no key. The bytes are made on demand. `HEAD`
 * makes none: it has a `content-length` when the file was read not long ago.
 */
export async function getFileRoute(service: Service, context: AppContext): Promise<RouteResult> {
  const job = service.jobs.find(context.req.param('job'))
  const scripted = job && scriptedFileOf(job, context.req.param('name'))
  if (scripted !== undefined) return { job, response: await scriptedFile(scripted) }
  const file = job && fileOf(job, context.req.param('name'))
  if (file === undefined) {
    const message = 'There is no such file. The output of a job that succeeded lists its files.'
    return { job, response: errorResponses.notFound(message) }
  }
  const isHead = context.req.method === 'HEAD'
  const bytes = isHead ? undefined : service.files.read(file).bytes
  const length = bytes?.byteLength ?? service.files.knownLength(file)
  const headers = { 'content-type': FILE_FORMS[file.kind].contentType }
  const all = length === undefined ? headers : { ...headers, 'content-length': String(length) }
  return { job, response: { status: 200, headers: all, body: bytes } }
}
