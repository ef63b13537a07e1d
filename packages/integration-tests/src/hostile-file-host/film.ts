import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { SocketAction } from '../hostile-service/hostile-server.ts'
import { head } from '../hostile-service/server-responses.ts'

/** A produced file: several packets long, and the same in no two places. */
export const FILM = Buffer.concat(
  Array.from({ length: 5_000 }, (_, index) => createHash('sha256').update(String(index)).digest()),
)

/** The bytes of a whole response. */
type Build = (request: Parameters<SocketAction>[1]) => Buffer

const ETAG = '"film-1"'

/** Gives the film, or the rest that is requested while the film is the same. */
export const film: Build = ({ headers }) => {
  const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
  const isRest = start > 0 && headers['if-range'] === ETAG
  const body = isRest ? FILM.subarray(start) : FILM
  const range = isRest ? ([['content-range', `bytes ${start}-${FILM.length - 1}/${FILM.length}`]] as const) : []
  return response(isRest ? 206 : 200, body, [['etag', ETAG], ['content-type', 'video/mp4'], ...range])
}

/** Knows no ranges, and says nothing that would prove that the file is the same. */
export const plainFilm: Build = () => response(200, FILM, [['content-type', 'video/mp4']])

/** Compresses the film although it was asked not to. */
export const compressedFilm: Build = () =>
  response(200, gzipSync(FILM), [
    ['content-encoding', 'gzip'],
    ['content-type', 'video/mp4'],
  ])

/** Gives the film without its length. */
export const chunkedFilm: Build = () =>
  Buffer.concat([
    Buffer.from(
      head(200, [
        ['transfer-encoding', 'chunked'],
        ['content-type', 'video/mp4'],
      ]),
    ),
    Buffer.from(`${FILM.length.toString(16)}\r\n`),
    FILM,
    Buffer.from('\r\n0\r\n\r\n'),
  ])

export function whole(build: Build): SocketAction {
  return (socket, request) => void socket.write(build(request))
}

/** Rejects ranges in a way of its own. */
export function wholeButNoRange(rejection: SocketAction): SocketAction {
  return (socket, request) => (request.headers.range === undefined ? whole(film) : rejection)(socket, request)
}

/** Sends half of a response, then breaks. */
export function half(build: Build, how: 'end' | 'reset' | 'stall'): SocketAction {
  return (socket, request) => {
    const bytes = build(request)
    socket.write(bytes.subarray(0, bytes.length / 2), () => {
      if (how === 'stall') return
      // The client must have read the bytes before the break: `fetch` forgets what waits in a body that fails.
      setTimeout(() => (how === 'end' ? socket.end() : socket.resetAndDestroy()), 50)
    })
  }
}

function response(status: number, body: Buffer, headers: readonly (readonly [string, string])[]): Buffer {
  const lines = head(status, [...headers, ['content-length', String(body.length)]])
  return Buffer.concat([Buffer.from(lines), body])
}
