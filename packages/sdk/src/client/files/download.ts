import { ConfigurationError, readArguments } from '@modelrun/kit'
import type { ResolvedOptions } from '../options.ts'
import { extensionOf, fileNameOf } from './file-name.ts'
import type { DownloadOptions } from './file-options.ts'
import { FileTransfer } from './file-transfer.ts'
import { type FileInHand, fileInHand } from './item-in-hand.ts'
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
  /** Reads the whole file into memory. @throws As the download; ConfigurationError when the bytes were taken before */
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

/** A file in the shape for users. */
export function toDownloadedFile({ transfer, ...file }: OpenedDownload): DownloadedFile {
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
    return new Blob(await readAll(transfer), { type: file.contentType ?? '' })
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
