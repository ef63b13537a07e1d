import { watchConnections } from './connection-watch.ts'
import type { FetchLike, ResolvedFetchOptions } from './fetch.ts'
import { chainOfCauses, isUnsent } from './network-failure.ts'

/** Called right before `fetch` is. The result says of its error whether it proves that the request did not leave this machine. */
type WatchUnsent = (fetch: FetchLike, url: string, fetchOptions: ResolvedFetchOptions) => (error: unknown) => boolean

/** `ownFetch`: the option of the caller, whose errors prove nothing by themselves. */
export function createUnsentWatch(ownFetch: FetchLike | undefined): WatchUnsent {
  const watch = watchConnections()
  let checked: FetchLike | undefined
  let isNodes = false
  return (fetch, url, { dispatcher }) => {
    if (fetch !== checked) isNodes = isNodeFetch(fetch)
    checked = fetch
    // Another `fetch`, and some dispatchers, may send the request once, and fail at the next thing that they do.
    const sentBefore = isNodes && dispatcher === undefined ? undefined : watch.countSent(url)
    // A function around Node's global `fetch` can be recognized, one around that of Bun or Deno cannot.
    const isOwn = isNodes || (ownFetch === undefined && ('Bun' in globalThis || 'Deno' in globalThis))
    return (error) => {
      const chain = chainOfCauses(error)
      const isFirst = sentBefore === undefined || sentBefore === watch.countSent(url)
      return (isFirst && watch.hasNoConnection(chain, url)) || (isOwn && isUnsent(chain, url))
    }
  }
}

/** True for Node's own `fetch`, without a function around it. */
function isNodeFetch(fetch: FetchLike): boolean {
  return typeof fetch === 'function' && /internal.deps.undici/.test(Function.prototype.toString.call(fetch))
}
