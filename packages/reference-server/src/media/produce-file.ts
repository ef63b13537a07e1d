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

const DEFAULT_SIDE_PX = 1024
const MAX_SIDE_PX = 2048

/**
 * Produces the file of an output item (section 2.5): a PNG painted, or a WAV melody composed, from prompt and seed; for
 * video the one MP4 film that comes with the package. Pure: runs in Node, browsers and workers.
 */
export function produceFile(request: FileRequest): ProducedFile {
  const random = createSeededRandom(request.prompt, request.seed)
  switch (request.kind) {
    case 'image': {
      const bytes = produceImage(random, sidePx(request.width), sidePx(request.height))
      return { bytes, contentType: 'image/png', extension: 'png' }
    }
    case 'audio':
      return { bytes: produceAudio(random), contentType: 'audio/wav', extension: 'wav' }
    case 'video':
      return { bytes: decodeFilm(), contentType: 'video/mp4', extension: 'mp4' }
  }
}

function sidePx(pixels = DEFAULT_SIDE_PX): number {
  return Number.isNaN(pixels) ? DEFAULT_SIDE_PX : Math.round(Math.min(MAX_SIDE_PX, Math.max(1, pixels)))
}

function decodeFilm(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(FILM_BASE64), (character) => character.charCodeAt(0))
}
