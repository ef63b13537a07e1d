import { ConfigurationError, isLoopback, memberOf, readArguments, toUrl } from '@modelrun/kit'
import { findUrlProblem, readHostRules } from '../../shared/host-rules.ts'
import { fileFetchOptions } from '../http/fetch.ts'
import { DEFAULT_DEADLINE_MS } from '../job-handle.ts'
import type { ResolvedOptions } from '../options.ts'
import { aboutFile, nameOfUrl } from './file-name.ts'
import type { DownloadOptions } from './file-options.ts'

/** One download, with every option named, checked and present. */
export type ResolvedDownload = ReturnType<typeof resolveDownload>

export const DEFAULT_MAX_BYTES = 1024 ** 3

/** @throws ConfigurationError */
export function resolveDownload(client: ResolvedOptions, item: unknown, options: DownloadOptions) {
  const url = readUrl(item)
  const allowedHosts = options.allowedHosts && readHostRules(options.allowedHosts)
  rejectUnsafe(client, url, { allowedHosts, jobId: options.jobId })
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
    fetchOptions: fileFetchOptions(client.fetchOptions, options.fetchOptions),
  }
}

/** A user and a password in a url make `fetch` throw an error that prints them; this one does not. */
function readUrl(item: unknown): URL {
  const text = readArguments('files.download', () => (typeof item === 'string' ? item : memberOf(item, 'url')))
  const url = toUrl(text)
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url
  const message =
    'A file is given by an item of an output or by its url: http, https or data, without user and password; or an item with a `text`.'
  throw new ConfigurationError({ message })
}

/** The service chose the url, so it follows the rules of redirects: it must not lead a server into its own network. */
function rejectUnsafe(
  { baseUrl }: ResolvedOptions,
  url: URL,
  { allowedHosts, jobId }: Pick<ResolvedDownload, 'allowedHosts' | 'jobId'>,
): void {
  if (allowedHosts === undefined && isHostOfService(url, new URL(baseUrl))) return
  const problem = findUrlProblem(url, rulesOf({ url, allowedHosts }))
  if (problem === undefined) return
  const remedy = ` If you trust that host, name it: \`allowedHosts: ['${url.host}']\`.`
  throw new ConfigurationError(aboutFile(`The file at ${nameOfUrl(url)} is not fetched: ${problem}.${remedy}`, jobId))
}

/** The host of the service, on any port; this machine for a service on this machine. */
function isHostOfService(url: URL, service: URL): boolean {
  return url.hostname === service.hostname || (isLoopback(url.hostname) && isLoopback(service.hostname))
}

/** The rules for the url of a file and of its redirects. A redirect never leads from https to http. */
export function rulesOf({ url, allowedHosts }: Pick<ResolvedDownload, 'url' | 'allowedHosts'>) {
  return { hosts: allowedHosts, allowHttp: url.protocol === 'http:' }
}
