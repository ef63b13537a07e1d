import { stringIn } from '@modelrun/kit'
import { InvalidResponseError } from '../errors/transport-errors.ts'
import { aboutFile } from './file-name.ts'

/** Items whose bytes are never a web page, an error as XML, JSON or text, or nothing. SVG and playlists are text, too. */
const MEDIA = /^(image|video|audio)$/
const PAGE =
  /^\s*($|\{|<!doctype html|(?:(?:<\?[^>]*>|<!--(?:(?!-->).)*-->|<!doctype [^>]*>)\s*)*<(?!svg\b|mpd\b)[a-z])/is
/** Bytes of a host that says that they are text: media with a wrong header have control characters. */
const TEXT_TYPE = /^text\/|json/i
const MEDIA_TEXT = /^\s*(<|#EXTM3U|\[playlist)|[^\P{Cc}\s]/iu
/** So many bytes show a page. */
export const HEAD_BYTES = 100

/** @throws InvalidResponseError for the first bytes of an image, a video or a sound that are a page, a text or nothing */
export function checkMedia(
  bytes: Uint8Array,
  { name, contentType = '' }: { name: string; contentType: string | undefined },
  { item, jobId }: { item: unknown; jobId: string | undefined },
): void {
  if (!MEDIA.test(stringIn(item, 'type') ?? '')) return
  const head = new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES))
  const isText = /^https?:/i.test(stringIn(item, 'url') ?? '') && TEXT_TYPE.test(contentType) && !MEDIA_TEXT.test(head)
  if (!isText && !PAGE.test(head)) return
  const problem = `The host of ${name} sent a page, a text or nothing in the place of the file.`
  throw new InvalidResponseError({ ...aboutFile(problem, jobId), isRetryable: true })
}
