import { fileOf } from '../domain/produce-output.ts'
import { FILE_FORMS } from '../media/produce-file.ts'
import type { Service } from '../service/service.ts'
import type { AppContext } from './app-env.ts'
import { errorResponses } from './error-responses.ts'
import { WholeResponse } from './json-response.ts'
import { statusLine } from './status-text.ts'

/**
 * `GET /files/{job_id}/{index}.{ext}`: a produced file (section 2.5). Needs no key; the bytes are made on demand. `HEAD`
 * makes none: it has a `content-length` when the file was read not long ago.
 */
export function answerFile(service: Service, context: AppContext): Response {
  const job = service.jobs.find(context.req.param('job') ?? '')
  context.env.trace.job = job
  const file = job && fileOf(job, context.req.param('name') ?? '')
  if (file === undefined) {
    return errorResponses.notFound('There is no such file. The output of a job that succeeded lists its files.')
  }
  const headers = { 'content-type': FILE_FORMS[file.kind].contentType }
  if (context.req.method === 'HEAD') return headOnly(headers, service.files.knownLength(file))
  const { bytes } = service.files.read(file)
  const init = { ...statusLine(200), headers: { ...headers, 'content-length': String(bytes.byteLength) } }
  return new WholeResponse(streamOf(bytes), init, bytes)
}

/** A response copies bytes twice when it is created, and a socket sends the ones that are kept. */
function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pull = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    // The reader may change what it gets.
    controller.enqueue(bytes.slice())
    controller.close()
  }
  return new ReadableStream({ pull }, { highWaterMark: 0 })
}

function headOnly(headers: Record<string, string>, length: number | undefined): Response {
  return new Response(null, {
    ...statusLine(200),
    headers: length === undefined ? headers : { ...headers, 'content-length': String(length) },
  })
}
