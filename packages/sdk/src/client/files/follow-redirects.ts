import { isLoopback, toUrl } from '@modelrun/kit'
import { findUrlProblem } from '../../shared/host-rules.ts'
import { callFetch, type FetchInit } from '../http/fetch.ts'
import { type ResolvedDownload, rulesOf } from './resolve-download.ts'

/** The URLs that one request for a file visits. */
export interface FileRoute {
  /** The given url, then those of redirects. */
  urls: URL[]
  /** Why the last redirect was not followed: the end of a sentence whose subject is the host. */
  problem?: string | undefined
}

/** The same limit as that of `fetch`. */
const MAX_REDIRECTS = 20

/**
 * Requests a file, and follows redirects only to safe URLs: the host of a file could redirect a server to an internal
 * address.
 *
 * @returns The last response. `route` gets the redirects, and the reason why a redirect was not followed
 */
export async function fetchFile(
  download: ResolvedDownload,
  init: Omit<FetchInit, 'redirect'>,
  route: FileRoute,
): Promise<Response> {
  const { client, fetchOptions } = download
  for (;;) {
    const url = route.urls.at(-1) ?? download.url
    const send = (redirect: FetchInit['redirect']) =>
      callFetch(client.fetch, { url: url.href, init: { ...init, redirect }, fetchOptions })
    let response = await send('manual')
    // Browsers hide the target of a redirect, and can only follow it themselves.
    if (response.type === 'opaqueredirect') response = await send('follow')
    const location = locationOf(response)
    if (location === undefined) return response
    const target = toUrl(location, url)
    route.problem = problemOf(target, route, download)
    if (target === undefined || route.problem !== undefined || response.redirected) return response
    response.body?.cancel().catch(() => {})
    route.urls.push(target)
  }
}

/** The target of a redirect, or the URL of the response when `fetch` has followed redirects itself. */
function locationOf(response: Response): string | undefined {
  if (response.redirected) return response.url
  const isRedirect = [301, 302, 303, 307, 308].includes(response.status)
  return (isRedirect && response.headers.get('location')) || undefined
}

function problemOf(target: URL | undefined, { urls }: FileRoute, download: ResolvedDownload): string | undefined {
  if (target === undefined) return 'redirects to what is not a url'
  if (urls.length > MAX_REDIRECTS) return `redirects more than ${MAX_REDIRECTS} times`
  const problem = isTrusted(target, download) ? undefined : findUrlProblem(target, rulesOf(download))
  if (problem === undefined) return undefined
  const { protocol, host } = target
  return `redirects to ${protocol}//${host}, which is not safe: ${problem}. If you trust that host, name it in \`allowedHosts\``
}

/** The host that the program named itself, and this machine for a service that runs on it. */
function isTrusted(target: URL, { client, url, allowedHosts }: ResolvedDownload): boolean {
  if (target.username !== '' || target.password !== '') return false
  if (target.origin === url.origin) return true
  if (allowedHosts !== undefined || !/^https?:$/.test(target.protocol)) return false
  return isLoopback(target.hostname) && isLoopback(new URL(client.baseUrl).hostname)
}
