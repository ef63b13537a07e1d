import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { SocketAction } from '../hostile-service/hostile-server.ts'
import { head, raw } from '../hostile-service/server-responses.ts'

/** A produced file: several packets long, and the same in no two places. */
export const VIDEO = Buffer.concat(
  Array.from({ length: 5_000 }, (_, index) => createHash('sha256').update(String(index)).digest()),
)

/** The bytes of a whole response. */
type Build = () => Buffer

/** Gives the video. */
export const video: Build = () => response(200, VIDEO, [['content-type', 'video/mp4']])

/** Compresses the video although it was asked not to. */
export const compressedVideo: Build = () =>
  response(200, gzipSync(VIDEO), [
    ['content-encoding', 'gzip'],
    ['content-type', 'video/mp4'],
  ])

/** Gives the video without its length. */
export const chunkedVideo: Build = () =>
  Buffer.concat([
    Buffer.from(
      head(200, [
        ['transfer-encoding', 'chunked'],
        ['content-type', 'video/mp4'],
      ]),
    ),
    Buffer.from(`${VIDEO.length.toString(16)}\r\n`),
    VIDEO,
    Buffer.from('\r\n0\r\n\r\n'),
  ])

export function whole(build: Build): SocketAction {
  return raw(build(), 'open')
}

/** Sends half of a response, then breaks. */
export function half(build: Build, how: 'end' | 'reset' | 'stall'): SocketAction {
  const bytes = build()
  return raw(bytes.subarray(0, bytes.length / 2), how)
}

function response(status: number, body: Buffer, headers: readonly (readonly [string, string])[]): Buffer {
  const lines = head(status, [...headers, ['content-length', String(body.length)]])
  return Buffer.concat([Buffer.from(lines), body])
}
