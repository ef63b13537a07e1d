/** What loads when a program first fetches a file. */
import type { OutputItem } from '@modelrun/contract'
import { type Checks, callback, count, flag, positive, readOptions, signal, text } from '@modelrun/kit'
import { readHostRules } from '../../shared/host-rules.ts'
import { fetchOptions, readBy } from '../call-options.ts'
import type { ResolvedOptions } from '../options.ts'
import { type DownloadedFile, openFile, toDownloadedFile } from './download.ts'
import type { DownloadOptions, SaveOptions } from './file-options.ts'
import { type ProducedOutput, saveFiles } from './save-files.ts'

const fileOptions = (): Checks<Omit<DownloadOptions, 'jobId'>> => ({
  signal,
  maxBytes: positive,
  timeoutMs: positive,
  deadlineMs: positive,
  maxRetries: count,
  allowedHosts: readBy((hosts: readonly string[]) => readHostRules(hosts) && [...hosts]),
  fetchOptions,
})

export const DOWNLOAD_OPTIONS = /* @__PURE__ */ ((): Checks<DownloadOptions> => ({ ...fileOptions(), jobId: text }))()

export const SAVE_OPTIONS = /* @__PURE__ */ ((): Checks<SaveOptions> => ({
  ...fileOptions(),
  name: callback,
  overwrite: flag,
}))()

export async function download(
  client: ResolvedOptions,
  item: OutputItem | string,
  options: DownloadOptions,
): Promise<DownloadedFile> {
  const checked = readOptions('client.files.download', options, DOWNLOAD_OPTIONS)
  return toDownloadedFile(await openFile(client, item, checked), { item, jobId: checked.jobId })
}

export async function save(
  client: ResolvedOptions,
  produced: ProducedOutput,
  { folder, options }: { folder: string; options: SaveOptions },
): Promise<string[]> {
  return await saveFiles(client, produced, { ...readOptions('client.files.save', options, SAVE_OPTIONS), folder })
}
