import type { OutputItem } from '@modelrun/contract'
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
  download(item: OutputItem | string, options: DownloadOptions = {}): Promise<DownloadedFile> {
    return download(this.#core.options, typeof item === 'string' ? item : item.url, options)
  }

  /**
   * Saves every file of a result, or of a webhook's event, in a folder (Node, Bun and Deno), which is made when it is
   * missing. A file appears under its name when it is complete.
   *
   * @returns The paths, in the order of the items
   * @throws As {@link download}; and what the file system throws
   */
  save(produced: ProducedOutput, folder: string, options: DownloadOptions = {}): Promise<string[]> {
    return saveFiles(this.#core.options, produced, { ...options, folder })
  }
}
