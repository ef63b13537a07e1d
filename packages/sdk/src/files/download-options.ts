import type { OutputItem } from '@modelrun/contract'
import { readArguments } from '../arguments/read-options.ts'
import { ConfigurationError } from '../errors/local-errors.ts'
import { findUrlProblem, type HostRule, readHostRules } from '../hosts/host-rules.ts'
import { type FetchOptions, fileFetchOptions, type ResolvedFetchOptions } from '../http/fetch-options.ts'
import type { ResolvedOptions } from '../options.ts'
import { nameOfUrl } from './file-error.ts'
import { rulesOf } from './follow-redirects.ts'

/** Options of a download. */
export interface DownloadOptions {
  /** Aborts the download; it settles at once with `AbortedError`. */
  signal?: AbortSignal | undefined
  /** Largest file that is accepted, in bytes. Default 1 GiB. */
  maxBytes?: number | undefined
  /**
   * Time limit until the head of a response, and between two chunks of its body, in milliseconds. Default: the client's
   * (30 000).
   */
  timeoutMs?: number | undefined
  /** Time limit of the whole download of one file, in milliseconds. Default 600 000 (10 minutes); `Infinity` for none. */
  deadlineMs?: number | undefined
  /** How often the file is requested again at most without a new byte. Default: the client's (2). */
  maxRetries?: number | undefined
  /** The job that produced the file, for errors. */
  jobId?: string | undefined
  /**
   * The only hosts that the file may come from, redirects included; written as for `isSafeOutputUrl`, like `*.example.com`.
   * Default: the host of the url, and redirects to public names (`isSafeOutputUrl`; this machine too, where the service is).
   */
  allowedHosts?: readonly string[] | undefined
  /** Handed to `fetch`, over the client's of the same name. */
  fetchOptions?: FetchOptions | undefined
}

/** One download, with every option named, checked and present. */
export interface ResolvedDownload {
  client: ResolvedOptions
  url: URL
  signal: AbortSignal | undefined
  maxBytes: number
  timeoutMs: number
  deadlineMs: number
  maxRetries: number
  jobId: string | undefined
  allowedHosts: readonly HostRule[] | undefined
  fetchOptions: ResolvedFetchOptions
}

const DEFAULT_MAX_BYTES = 1024 ** 3
const DEFAULT_DEADLINE_MS = 600_000

/** @throws ConfigurationError */
export function resolveDownload(
  client: ResolvedOptions,
  item: OutputItem | string,
  options: DownloadOptions,
): ResolvedDownload {
  const url = readUrl(item)
  const allowedHosts = options.allowedHosts && readHostRules(options.allowedHosts)
  if (allowedHosts) rejectOtherHost(url, allowedHosts)
  return {
    client,
    url,
    signal: options.signal,
    maxBytes: options.maxBytes ?? DEFAULT_MAX_BYTES,
    timeoutMs: options.timeoutMs ?? client.timeoutMs,
    deadlineMs: options.deadlineMs ?? DEFAULT_DEADLINE_MS,
    maxRetries: options.maxRetries ?? client.maxRetries,
    jobId: options.jobId,
    allowedHosts,
    fetchOptions: fileFetchOptions(client, options.fetchOptions),
  }
}

/** A user and a password in a url make `fetch` throw an error that prints them; this one does not. */
function readUrl(item: unknown): URL {
  const text: unknown = readArguments('files.download', () => Object(item).url ?? item)
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url
  throw new ConfigurationError({
    message: 'A file is given by an item of an output or by its url: http or https, without user and password.',
  })
}

function rejectOtherHost(url: URL, allowedHosts: readonly HostRule[]): void {
  const problem = findUrlProblem(url, rulesOf({ url, allowedHosts }))
  if (problem === undefined) return
  throw new ConfigurationError({ message: `The file at ${nameOfUrl(url)} is not fetched: ${problem}.` })
}
