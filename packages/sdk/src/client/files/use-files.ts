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

export async function save(
  client: ResolvedOptions,
  produced: ProducedOutput,
  { folder, options }: { folder: string; options: SaveOptions },
): Promise<string[]> {
  return await saveFiles(client, produced, { ...readOptions('client.files.save', options, SAVE_OPTIONS), folder })
}
