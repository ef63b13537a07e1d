import type { OutputItem } from '@modelrun/contract'
import { DOWNLOAD_OPTIONS } from '../arguments/call-options.ts'
import { checkArguments } from '../arguments/check-arguments.ts'
import { readOptions } from '../arguments/read-options.ts'
import type { Core } from '../core.ts'
import { type DownloadedFile, type DownloadOptions, download } from './download.ts'
import { type ProducedOutput, saveFiles } from './save-files.ts'

/** The files that runs produce (section 2.5). The API key is never sent to their addresses. */
export class FilesResource {
  readonly #core: Core

  /** @internal */
  constructor(core: Core) {
    this.#core = core
  }

  /**
   * Fetches a produced file as a stream.
   *
   * @param item An item of an output, or its address
   * @throws ConnectionError, AttemptTimeoutError, AbortedError, InvalidResponseError (status, larger than `maxBytes`)
   */
  async download(item: OutputItem | string, options: DownloadOptions = {}): Promise<DownloadedFile> {
    const place = 'client.files.download'
    checkArguments(place, { item })
    const address = typeof item === 'string' ? item : item.url
    return download(this.#core.options, address, readOptions(place, options, DOWNLOAD_OPTIONS))
  }

  /**
   * Saves every file of a result, or of a webhook's event, in a folder (Node, Bun and Deno), which is made when it is
   * missing. A file appears under its name when it is complete.
   *
   * @returns The paths, in the order of the items
   * @throws As {@link download}; and what the file system throws
   */
  async save(produced: ProducedOutput, folder: string, options: DownloadOptions = {}): Promise<string[]> {
    const place = 'client.files.save'
    checkArguments(place, { produced, folder })
    return saveFiles(this.#core.options, produced, { ...readOptions(place, options, DOWNLOAD_OPTIONS), folder })
  }
}
