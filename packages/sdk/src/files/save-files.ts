import type { Output, OutputItem } from '@modelrun/contract'
import { ConfigurationError } from '../errors/local-errors.ts'
import type { ResolvedOptions } from '../options.ts'
import { type DownloadOptions, download } from './download.ts'

/** What a job produced: a result, or the event of a webhook. */
export interface ProducedOutput {
  /** Identifier of the job; part of the file names. */
  job_id: string
  /** The produced files (section 2.5). */
  output: Output
}

/** Where files are saved. */
export interface SaveOptions extends DownloadOptions {
  /** Made when it is missing. */
  folder: string
}

/** Saves every file of an output. A file appears under its name when it is complete. */
export async function saveFiles(
  client: ResolvedOptions,
  { job_id, output }: ProducedOutput,
  { folder, ...options }: SaveOptions,
): Promise<string[]> {
  // Not imported: browsers have no such modules, and bundlers for them would stumble.
  const fs = globalThis.process?.getBuiltinModule?.('node:fs/promises')
  const path = globalThis.process?.getBuiltinModule?.('node:path')
  if (fs === undefined || path === undefined) {
    throw new ConfigurationError({ message: 'There is no file system here. Use `files.download` instead.' })
  }
  const saveItem = async ({ url }: OutputItem, index: number) => {
    const file = await download(client, url, options)
    const name = `${job_id.replace(/[^\w.-]+/g, '_')}-${index}${path.extname(file.name)}`
    const target = path.join(folder, name)
    const partial = `${target}.part`
    try {
      await fs.writeFile(partial, file.stream)
      await fs.rename(partial, target)
    } finally {
      await fs.rm(partial, { force: true })
    }
    return target
  }
  await fs.mkdir(folder, { recursive: true })
  return await Promise.all(output.items.map(saveItem))
}
