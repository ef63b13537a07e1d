import type { Fault, Request } from './faults.ts'

/** Bytes that start like a PNG. */
const FILE = Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10])

const FAL_FILES = 'https://files.example.com/fal'
const REPLICATE = 'https://api.replicate.com/v1/predictions/p'

/** Responds as the service behind a provider does, to one logical call with one fault. */
export function fakeService(vendor: 'fal' | 'replicate', kind: string, fault: Fault) {
  const seen = { posts: 0, charges: 0 }
  let left = fault.times
  const fetch = async (input: string | URL | globalThis.Request, init: RequestInit = {}): Promise<Response> => {
    const url = input instanceof globalThis.Request ? input.url : String(input)
    const request = requestOf(url, init)
    const isFaulty = request === fault.request && left > 0
    if (isFaulty) left -= 1
    if (request === 'post') {
      seen.posts += 1
      seen.charges += !isFaulty || fault.isAccepted ? 1 : 0
    }
    return isFaulty ? fail(fault.act) : respond(vendor, kind, request)
  }
  return { fetch, seen }
}

function respond(vendor: 'fal' | 'replicate', kind: string, request: Request): Response {
  if (request === 'file') return new Response(FILE, { headers: { 'content-type': typeOf(kind) } })
  return Response.json(vendor === 'fal' ? falBody(kind, request) : replicateBody(kind, request))
}

function requestOf(url: string, { method = 'GET' }: RequestInit): Request {
  if (method === 'POST') return 'post'
  return url.includes('files.') ? 'file' : 'poll'
}

function fail(act: string): Response {
  const headers = { 'content-type': 'application/json' }
  if (act === 'cut') return new Response('{"images": [', { headers })
  const status = Number(act)
  if (Number.isInteger(status)) {
    const body = { error: { message: act }, detail: act, title: act }
    return Response.json(body, { status, headers: status === 429 ? { 'retry-after': '1' } : {} })
  }
  throw Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(act), { code: act }) })
}

function typeOf(kind: string): string {
  return kind === 'image' ? 'image/png' : kind === 'speech' ? 'audio/mpeg' : 'video/mp4'
}

function falBody(kind: string, request: Request): unknown {
  if (kind === 'image') return { images: [{ url: `${FAL_FILES}.png`, width: 1, height: 1, content_type: 'image/png' }] }
  if (kind === 'speech') return { audio: { url: `${FAL_FILES}.mp3` } }
  const response_url = 'https://queue.fal.run/a/b/requests/r'
  if (request === 'post') return { request_id: 'r', response_url, status_url: `${response_url}/status` }
  return { video: { url: `${FAL_FILES}.mp4`, content_type: 'video/mp4' } }
}

function replicateBody(kind: string, request: Request): unknown {
  const body = { id: 'p', urls: { get: REPLICATE }, error: null, metrics: null }
  if (request === 'post') return { ...body, status: 'starting', output: null }
  const file = 'https://files.example.com/replicate.bin'
  return { ...body, status: 'succeeded', output: kind === 'image' ? [file] : file }
}
