import { type Check, type Checks, callback, count, flag, positive, signal, text } from '@modelrun/kit'
import { fetchOptions } from '../arguments/checks.ts'
import { readHostRules } from '../hosts/host-rules.ts'
import type { DownloadOptions, SaveOptions, ToDataUriOptions } from './file-options.ts'

const allowedHosts: Check = (value) => {
  // Throws an error of its own.
  if (value !== undefined) readHostRules(value as never)
  return undefined
}

const fileOptions = (): Checks<Omit<DownloadOptions, 'jobId'>> => ({
  signal,
  maxBytes: positive,
  timeoutMs: positive,
  deadlineMs: positive,
  maxRetries: count,
  allowedHosts,
  fetchOptions,
})

export const DOWNLOAD_OPTIONS = /* @__PURE__ */ ((): Checks<DownloadOptions> => ({ ...fileOptions(), jobId: text }))()

export const SAVE_OPTIONS = /* @__PURE__ */ ((): Checks<SaveOptions> => ({
  ...fileOptions(),
  name: callback,
  overwrite: flag,
}))()

export const DATA_URI_OPTIONS: Checks<ToDataUriOptions> = { type: text, maxBytes: positive }
