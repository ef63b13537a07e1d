import { FILM_BASE64 } from './film.ts'
import { produceAudio } from './produce-audio.ts'
import { produceImage } from './produce-image.ts'
import { createSeededRandom } from './seeded-random.ts'

/** What to produce. The same request always gives the same bytes. */
export interface FileRequest {
  kind: 'image' | 'video' | 'audio'
  /** Any text, also an empty one: it only steers the random numbers. */
  prompt: string
  seed: number
  /** Pixels of an image, 1 to 2048 (beyond that it is cut); default 1024. Films always have 320 x 180. */
  width?: number | undefined
  /** Pixels of an image, as `width`. */
  height?: number | undefined
}

/** A file that opens in an ordinary viewer. */
export interface ProducedFile {
  bytes: Uint8Array<ArrayBuffer>
  contentType: string
  /** Without the dot. */
  extension: string
}

/** What a file of each kind is; known without producing it. */
export const FILE_FORMS = {
  image: { contentType: 'image/png', extension: 'png' },
  video: { contentType: 'video/mp4', extension: 'mp4' },
  audio: { contentType: 'audio/wav', extension: 'wav' },
} as const satisfies Record<FileRequest['kind'], Omit<ProducedFile, 'bytes'>>

const DEFAULT_SIDE_PX = 1024
const MAX_SIDE_PX = 2048

/**
 * Produces the file of an output item (section 2.5): a PNG painted, or a WAV melody composed, from prompt and seed; for
 * video the one MP4 film that comes with the package. Pure: runs in Node, browsers and workers.
 */
export function produceFile(request: FileRequest): ProducedFile {
  return { bytes: produceBytes(request), ...FILE_FORMS[request.kind] }
}

/** What the bytes of a file follow from: requests with the same key give the same file. */
export function fileKey({ kind, prompt, seed, width, height }: FileRequest): string {
  if (kind === 'video') return kind
  const size = kind === 'image' ? `${sidePx(width)}x${sidePx(height)}` : ''
  return `${kind} ${size} ${createSeededRandom(prompt, seed).state().join()}`
}

function produceBytes({ kind, prompt, seed, width, height }: FileRequest): Uint8Array<ArrayBuffer> {
  const random = createSeededRandom(prompt, seed)
  switch (kind) {
    case 'image':
      return produceImage(random, sidePx(width), sidePx(height))
    case 'audio':
      return produceAudio(random)
    case 'video':
      return decodeFilm()
  }
}

function sidePx(pixels = DEFAULT_SIDE_PX): number {
  return Number.isNaN(pixels) ? DEFAULT_SIDE_PX : Math.round(Math.min(MAX_SIDE_PX, Math.max(1, pixels)))
}

function decodeFilm(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(FILM_BASE64), (character) => character.charCodeAt(0))
}
