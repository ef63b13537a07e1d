/** What loads when a program first fetches a file. */
import type { OutputItem } from '@modelrun/contract'
import { readOptions } from '@modelrun/kit'
import type { ResolvedOptions } from '../options.ts'
import { type DownloadedFile, openFile, toDownloadedFile } from './download.ts'
import { DOWNLOAD_OPTIONS, SAVE_OPTIONS } from './file-checks.ts'
import type { DownloadOptions, SaveOptions } from './file-options.ts'
import { type ProducedOutput, saveFiles } from './save-files.ts'

export async function download(
  client: ResolvedOptions,
  item: OutputItem | string,
  options: DownloadOptions,
): Promise<DownloadedFile> {
  return toDownloadedFile(await openFile(client, item, readOptions('client.files.download', options, DOWNLOAD_OPTIONS)))
}

/** A call of a public method that saves files. */
export interface SaveCall {
  /** The method as the user writes it. */
  place: string
  /** The job of the result that has the method. */
  jobId?: string
  folder: string
  options: SaveOptions
}

export async function save(
  client: ResolvedOptions,
  produced: ProducedOutput,
  { place, folder, options }: SaveCall,
): Promise<string[]> {
  return await saveFiles(client, produced, { ...readOptions(place, options, SAVE_OPTIONS), folder })
}
