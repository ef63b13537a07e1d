import { Random } from '../shared/random.ts'
import { produceAudio } from './produce-audio.ts'
import { produceImage } from './produce-image.ts'
import video from './video.json' with { type: 'json' }

/** The file to produce. The same request always gives the same bytes. */
export interface FileRequest {
  kind: 'image' | 'video' | 'audio'
  /** Any text, also an empty one. It is a seed of the random numbers. */
  prompt: string
  seed: number
  /** Pixels of an image, 1 to 2048 (beyond that it is cut). Videos always have 320 x 180. */
  width: number
  /** Pixels of an image, as `width`. */
  height: number
}

interface ProducedFile {
  bytes: Uint8Array<ArrayBuffer>
  contentType: string
  /** Without the dot. */
  extension: string
}

/** Content type and extension of each kind of file. */
export const FILE_FORMS = {
  image: { contentType: 'image/png', extension: 'png' },
  video: { contentType: 'video/mp4', extension: 'mp4' },
  audio: { contentType: 'audio/wav', extension: 'wav' },
} as const satisfies Record<FileRequest['kind'], Omit<ProducedFile, 'bytes'>>

const MAX_SIDE_PX = 2048

/**
 * Produces the file of an output item (section 2.5): a PNG or a WAV melody made from prompt and seed, or for video the
 * one MP4 video of the package. Pure: runs in Node, browsers and workers.
 */
export function produceFile(request: FileRequest): ProducedFile {
  return { bytes: produceBytes(request), ...FILE_FORMS[request.kind] }
}

function produceBytes({ kind, prompt, seed, width, height }: FileRequest): Uint8Array<ArrayBuffer> {
  const random = Random.of(prompt, seed)
  switch (kind) {
    case 'image':
      return produceImage(random, sidePx(width), sidePx(height))
    case 'audio':
      return produceAudio(random)
    case 'video':
      return decodeVideo()
  }
}

function sidePx(pixels: number): number {
  return Math.round(Math.min(MAX_SIDE_PX, Math.max(1, pixels)))
}

/**
 * Three seconds of moving colour that end where they started. MP4, H.264, 320 x 180, 25 frames a second, 14,290 bytes,
 * made of formulas with ffmpeg:
 *
 *     ffmpeg -f lavfi -i "nullsrc=size=320x180:rate=25:duration=3,
 *         geq=lum='128+46*sin(X/38+2*PI*T/3)+46*sin(Y/27-2*PI*T/3)*cos((X+Y)/61+2*PI*T/3)'
 *            :cb='128+52*sin((X-Y)/37+2*PI*T/3)':cr='128+52*cos((X+Y)/41-2*PI*T/3)',format=yuv420p"
 *       -c:v libx264 -preset veryslow -crf 28 -bsf:v filter_units=remove_types=6 -movflags +faststart
 *       -fflags +bitexact -flags:v +bitexact video.mp4
 */
function decodeVideo(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(video.base64), (character) => character.charCodeAt(0))
}
