import type { OutputItem } from '@modelrun/contract'
import { copyJson, readArguments, stringIn } from '@modelrun/kit'
import type { Core } from '../core.ts'
import { loadPart } from '../load-part.ts'
import type { DownloadedFile } from './download.ts'
import type { DownloadOptions, SaveOptions } from './file-options.ts'
import type { ProducedOutput } from './save-files.ts'

/** The files that runs produce (section 2.5). The API key is never sent to their urls. */
export class FilesResource {
  readonly #core: Core

  /** @internal */
  constructor(core: Core) {
    this.#core = core
  }

  /**
   * Fetches a produced file. Failed requests are retried as for every read. Files come from public hosts and from that of the
   * service, or from those of `allowedHosts` alone; redirects too, and never from https to http.
   *
   * @param item An item of an output, or its url
   * @throws ConnectionError, AttemptTimeoutError, InvalidResponseError (`status`; larger than `maxBytes`; a
   *   redirect that is not safe), DeadlineExceededError, AbortedError, ConfigurationError
   */
  async download(item: OutputItem | string, options: DownloadOptions = {}): Promise<DownloadedFile> {
    const given = copyJson(item)
    const { download } = await loadPart(() => import('./use-files.ts'))
    return await download(this.#core.options, given, options)
  }

  /**
   * Saves every file of a result, or of a webhook's event, in a folder (Node, Bun and Deno), which is created when it is
   * missing. A file gets its name when it is complete. The same call again is safe: files that are there with the same
   * content stay, missing ones are fetched.
   *
   * @returns The paths, in the order of the items
   * @throws As {@link download}; ConfigurationError when a file with other content has the name; SaveError when the file
   *   system fails. When several files fail, the error is that of the first
   */
  async save(produced: ProducedOutput, folder: string, options: SaveOptions = {}): Promise<string[]> {
    const given = copyJson(produced)
    const { save } = await loadPart(
      () => import('./use-files.ts'),
      readArguments('files.save', () => stringIn(produced, 'job_id')),
    )
    return await save(this.#core.options, given, { folder, options })
  }
}
