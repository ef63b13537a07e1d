import type { Step } from './scripted-service.ts'

/** What a host does to one response: it replaces it, or ends its body after some bytes. */
export type FileFault = Step | { bytes: number; how: 'breaks' | 'ends' | 'stalls' }

/** A file and how its host serves it. */
export interface HostedFile {
  content: string
  /** Headers of each response with the file, e.g. `etag`. */
  headers?: Record<string, string>
  /** Whether the host serves ranges. Default true. */
  hasRanges?: boolean
  /** Whether it sends the length. Default true. */
  hasLength?: boolean
  /** What happens to the first responses; the ones after them are whole. */
  faults?: readonly FileFault[]
}

/** Serves a file as a host of files does. `file` may change between requests. */
export function createFileHost(file: HostedFile): Step {
  let count = 0
  return (request) => {
    const fault = file.faults?.[count++]
    return typeof fault === 'function' ? fault(request) : respond(file, request, fault)
  }
}

function respond(file: HostedFile, request: Request, fault: Exclude<FileFault, Step> | undefined): Response {
  const { content, headers: fixed = {}, hasRanges = true, hasLength = true } = file
  const bytes = new TextEncoder().encode(content)
  const headers = new Headers(fixed)
  const start = hasRanges ? startOf(request, headers) : undefined
  const body = bytes.subarray(start ?? 0)
  if (start !== undefined && body.byteLength === 0) return new Response(null, { status: 416, headers })
  if (start !== undefined) headers.set('content-range', `bytes ${start}-${bytes.byteLength - 1}/${bytes.byteLength}`)
  if (hasLength) headers.set('content-length', String(body.byteLength))
  return new Response(streamOf(body, fault), { status: start === undefined ? 200 : 206, headers })
}

/** Where the range of a request starts; undefined when the whole file is to come (RFC 9110, section 13.1.5). */
function startOf(request: Request, headers: Headers): number | undefined {
  const range = /^bytes=(\d+)-$/.exec(request.headers.get('range') ?? '')
  const condition = request.headers.get('if-range')
  const isCurrent = condition !== null && [headers.get('etag'), headers.get('last-modified')].includes(condition)
  return range !== null && (condition === null || isCurrent) ? Number(range[1]) : undefined
}

/** In several chunks, so that a break can come between two of them. */
function streamOf(body: Uint8Array, fault: Exclude<FileFault, Step> | undefined): ReadableStream<Uint8Array> {
  const end = Math.min(body.byteLength, fault?.bytes ?? body.byteLength)
  const chunkBytes = Math.max(3, Math.ceil(end / 8))
  let sent = 0
  return new ReadableStream({
    pull: (controller) => {
      if (sent < end) {
        const chunk = body.slice(sent, Math.min(end, sent + chunkBytes))
        sent += chunk.byteLength
        controller.enqueue(chunk)
      } else if (fault?.how === 'breaks') {
        controller.error(Object.assign(new Error('gone'), { code: 'ECONNRESET' }))
      } else if (fault?.how === 'stalls') {
        return new Promise(() => {})
      } else {
        controller.close()
      }
      return undefined
    },
  })
}
