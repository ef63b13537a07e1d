import { ConfigurationError, memberOf, readArguments, stringIn } from '@modelrun/kit'
import type { ResolvedOptions } from '../options.ts'
import { checkMedia, HEAD_BYTES } from './error-page.ts'
import { extensionOf, fileNameOf } from './file-name.ts'
import type { DownloadOptions } from './file-options.ts'
import { FileTransfer } from './file-transfer.ts'
import { DEFAULT_MAX_BYTES, resolveDownload } from './resolve-download.ts'

/**
 * A file on its way. Take its bytes once: read `stream` to its end or cancel it, or call `bytes()` or `blob()`, which request
 * the file again when its body breaks.
 */
export interface DownloadedFile {
  /** A safe file name made from the url and the content type. */
  name: string
  /** From the response; undefined when it has none. */
  contentType: string | undefined
  /** Bytes of the file, when the host says it and does not compress the file. */
  size: number | undefined
  /**
   * The bytes; fails with the errors of the download, also when its body breaks after the first bytes. Nothing is read ahead.
   */
  stream: ReadableStream<Uint8Array<ArrayBuffer>>
  /**
   * Reads the whole file into memory.
   *
   * @throws As the download; InvalidResponseError for a page, a text or nothing in the place of an image, a video or a
   *   sound, as the type of the item says; ConfigurationError when the bytes were taken before
   */
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  /** Reads the whole file into memory, typed with the content type. @throws As {@link DownloadedFile.bytes} */
  blob(): Promise<Blob>
}

/** A file of which the first response has come. */
export interface OpenedDownload extends Pick<DownloadedFile, 'name' | 'contentType' | 'size'> {
  transfer: Pick<FileTransfer, 'read' | 'close'> & Partial<Pick<FileTransfer, 'scope'>>
}

/** Requests a produced file, unless its content is in the item. The API key is not sent: the url may be anywhere. */
export async function openFile(
  client: ResolvedOptions,
  item: unknown,
  options: DownloadOptions,
): Promise<OpenedDownload> {
  const inHand = readArguments('files.download', () => fileInHand(item))
  if (inHand !== undefined) return openInHand(inHand, options)
  const download = resolveDownload(client, item, options)
  const transfer = new FileTransfer(download)
  const { headers } = await transfer.open()
  const contentType = headers.get('content-type') ?? undefined
  return { name: fileNameOf(download.url, headers), contentType, size: transfer.size, transfer }
}

function openInHand(
  { bytes, contentType }: FileInHand,
  { maxBytes = DEFAULT_MAX_BYTES }: DownloadOptions,
): OpenedDownload {
  const size = bytes.byteLength
  if (size > maxBytes) {
    throw new ConfigurationError({
      message: `The file in the response has ${size} bytes, more than maxBytes (${maxBytes}).`,
    })
  }
  const chunks = [{ at: 0, bytes }]
  const transfer = { read: async () => chunks.shift(), close: () => {} }
  return { name: `output.${extensionOf(contentType) ?? 'bin'}`, contentType, size, transfer }
}

export function toDownloadedFile(
  { transfer, ...file }: OpenedDownload,
  about: { item: unknown; jobId: string | undefined },
): DownloadedFile {
  let taker: 'stream' | 'memory' | undefined
  const take = (by: 'stream' | 'memory') => {
    if (taker !== undefined && (taker !== by || by === 'memory')) {
      throw new ConfigurationError({ message: `The bytes of ${file.name} were taken before. Download the file again.` })
    }
    taker = by
  }
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    take('stream')
    const chunk = await transfer.read({ mayRestart: false })
    if (chunk) controller.enqueue(chunk.bytes)
    else controller.close()
  }
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: (controller) => pull(controller).catch((error) => controller.error(error)),
      cancel: () => {
        taker = 'stream'
        transfer.close()
      },
    },
    // The timers of a download run while something waits for its bytes, not while a program holds the stream.
    { highWaterMark: 0 },
  )
  const blob = async () => {
    take('memory')
    const whole = new Blob(await readAll(transfer), { type: file.contentType ?? '' })
    checkMedia(new Uint8Array(await whole.slice(0, HEAD_BYTES).arrayBuffer()), file, about)
    return whole
  }
  const bytes = async () => new Uint8Array(await (await blob()).arrayBuffer())
  return { ...file, stream, bytes, blob }
}

async function readAll(transfer: OpenedDownload['transfer']): Promise<Uint8Array<ArrayBuffer>[]> {
  let chunks: Uint8Array<ArrayBuffer>[] = []
  for (;;) {
    const chunk = await transfer.read({ mayRestart: true })
    if (chunk === undefined) return chunks
    if (chunk.at === 0) chunks = []
    chunks.push(chunk.bytes)
  }
}

/** A file whose content is in the response of the job. */
interface FileInHand {
  bytes: Uint8Array<ArrayBuffer>
  contentType: string
}

const DATA_URI = /^data:([^,;]*)((?:;[^,;]*)*),/i

/** The content of an item that is a data URI, or a text without a url. Undefined for all others. */
function fileInHand(item: unknown): FileInHand | undefined {
  const url = typeof item === 'string' ? item : memberOf(item, 'url')
  const text = url === undefined || url === null ? stringIn(item, 'text') : undefined
  if (text !== undefined) return { bytes: new TextEncoder().encode(text), contentType: 'text/plain' }
  return typeof url === 'string' ? readDataUri(url.trimStart()) : undefined
}

function readDataUri(uri: string): FileInHand | undefined {
  const [head, type, parameters] = DATA_URI.exec(uri) ?? []
  if (head === undefined) return undefined
  const data = uri.slice(head.length)
  try {
    const plain = percentDecoded(data)
    const isBase64 = /;\s*base64$/i.test(parameters ?? '')
    const content = isBase64 ? atob(plain.replaceAll('-', '+').replaceAll('_', '/')) : plain
    const bytes = Uint8Array.from(content, (character) => character.charCodeAt(0))
    return { bytes, contentType: type || 'text/plain' }
  } catch (cause) {
    throw new ConfigurationError({ message: 'The data URI of the file cannot be decoded.', cause })
  }
}

/** The bytes of a text as characters up to U+00FF: a data URI may have those of any file in it. */
function percentDecoded(text: string): string {
  const ascii = text.replace(/\P{ASCII}+/gu, encodeURIComponent)
  return ascii.replace(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}
