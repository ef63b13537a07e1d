import type { OutputItem } from '@modelrun/contract'
import type { Core } from '../core.ts'
import { ConfigurationError } from '../errors/local-errors.ts'
import type { RunResult } from '../runs/run-result.ts'
import { type DownloadedFile, type DownloadOptions, download } from './download.ts'

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
   * Saves every file of a result in a folder (Node, Bun and Deno), which is made when it is missing. A file appears
   * under its name when it is complete.
   *
   * @returns The paths, in the order of the items
   * @throws As {@link download}; and what the file system throws
   */
  async save(
    result: Pick<RunResult, 'job_id' | 'output'>,
    folder: string,
    options: DownloadOptions = {},
  ): Promise<string[]> {
    // Not imported: browsers have no such modules, and bundlers for them would stumble.
    const fs = globalThis.process?.getBuiltinModule?.('node:fs/promises')
    const path = globalThis.process?.getBuiltinModule?.('node:path')
    if (fs === undefined || path === undefined) {
      throw new ConfigurationError({ message: 'There is no file system here. Use `files.download` instead.' })
    }
    await fs.mkdir(folder, { recursive: true })
    const saveItem = async (item: OutputItem, index: number) => {
      const file = await this.download(item, options)
      const prefix = `${result.job_id.replace(/[^\w.-]+/g, '_')}-${index}`
      const target = path.join(folder, `${prefix}${path.extname(file.name)}`)
      const partial = `${target}.part`
      try {
        await fs.writeFile(partial, file.stream)
        await fs.rename(partial, target)
      } finally {
        await fs.rm(partial, { force: true })
      }
      return target
    }
    return await Promise.all(result.output.items.map(saveItem))
  }
}
