import { routePath } from '@modelrun/contract'
import ky, { type Hooks, isForceRetryError, type KyInstance, type Options } from 'ky'
import { type Clock, startTimer } from '../../shared/clock.ts'
import type { ResolvedOptions } from '../options.ts'
import { headersByName, type ResolvedFetchOptions, readFetchOptions } from './fetch.ts'
import type { CallOptions, Operation } from './operation.ts'

/** ky for the calls of one client. */
export interface CallKy {
  ky: KyInstance
  /**
   * The hooks of the caller's instance. They are separate because the client's wait before a retry comes first. Undefined
   * without an instance of the caller: then each attempt is one call of ky, which copies a request that it may send again.
   */
  beforeRetry: NonNullable<Hooks['beforeRetry']> | undefined
}

/** ky builds the requests and runs the retries. What ky would decide by itself is set here. */
export function createKy(client: ResolvedOptions): CallKy {
  const options = {
    prefix: client.baseUrl,
    // Following a redirect would take the key, or a second POST, to another place.
    redirect: 'manual' as const,
    // ky's timer ends with the head, and knows no clock but the system's: `sendAttempt` has one over head and body.
    timeout: false as const,
    totalTimeout: false as const,
  }
  if (client.ky === undefined)
    return { ky: ky.create({ ...options, retry: 0, throwHttpErrors: false }), beforeRetry: undefined }
  let beforeRetry: CallKy['beforeRetry'] = []
  const callKy = client.ky.extend((defaults) => {
    beforeRetry = defaults.hooks?.beforeRetry ?? []
    // To ky, a list that is undefined removes the one of the instance; its types leave that out.
    return { ...options, hooks: { beforeRetry: undefined } as unknown as Hooks }
  })
  return { ky: callKy, beforeRetry }
}

/** The parts of a ky request. The API key is not among them: it is added at each attempt. */
export interface KyRequest {
  /** Below `baseUrl`, without query. */
  path: string
  options: Options
  /** Those of the options, by their names in lower case. */
  headers: Readonly<Record<string, string>>
  /** The JSON to send. ky does not get it: it would copy it for each retry. */
  body: string | undefined
  /** For `fetch`, past ky: it would make a `Request` of them, which the `fetch` of another library does not know. */
  fetchOptions: ResolvedFetchOptions
}

/** @throws TypeError, ConfigurationError when an argument cannot become a request */
export type BuildRequest = (operation: Operation<unknown>, call: CallOptions) => KyRequest

export function createRequestBuilder(client: ResolvedOptions): BuildRequest {
  // Tested at the first call, because making a `Request` loads Node's HTTP client.
  let takesCache: boolean | undefined
  return (operation, call) => {
    takesCache ??= takesCacheOption()
    return kyRequest(operation, { client, call, takesCache })
  }
}

interface RequestParts {
  client: ResolvedOptions
  call: CallOptions
  takesCache: boolean
}

function kyRequest(operation: Operation<unknown>, { client, call, takesCache }: RequestParts): KyRequest {
  const { method } = operation.route
  const body = toJson(operation.body)
  const headers: Record<string, string> = {
    ...client.headers,
    ...headersByName(call.headers),
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const options: Options = {
    method,
    // ky merges plain objects faster, but distinguishes the `X-Name` of an instance from `x-name` then.
    headers: client.ky === undefined ? headers : new Headers(headers),
    ...(operation.query === undefined ? {} : { searchParams: operation.query }),
    ...(takesCache ? { cache: 'no-store' } : {}),
  }
  const fetchOptions =
    call.fetchOptions === undefined
      ? client.fetchOptions
      : { ...client.fetchOptions, ...readFetchOptions(call.fetchOptions) }
  return { path: routePath(operation.route, operation.parameters), options, headers, body, fetchOptions }
}

/** @throws TypeError with a message of our own: the engines' messages differ and take many lines */
function toJson(body: unknown): string | undefined {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new TypeError('its body holds what JSON cannot: a BigInt, an object within itself, or a getter that throws', {
      cause,
    })
  }
}

/**
 * Some runtimes reject the field. Without it, frameworks that patch `fetch` would cache a job's status for ever, and some
 * would return an old response for the same POST.
 */
function takesCacheOption(): boolean {
  try {
    return new Request('https://modelrun.invalid', { cache: 'no-store' }).cache === 'no-store'
  } catch {
    return false
  }
}

/** The client's rules for retries. */
export interface RetryRules {
  hold: ClockHold
  method: string
  /** How often ky sends again at most. */
  limit: number
  /** Milliseconds until the next attempt; undefined when there is none. */
  delayMs(error: Error): number | undefined
  /** Waits. @throws The error of the call when it is aborted meanwhile */
  pause(delayMs: number): Promise<void>
  /** Hooks of the caller. They come after the client's wait, because a hook that returns a request ends the hooks after it. */
  beforeRetry: NonNullable<Hooks['beforeRetry']>
}

/** ky counts the retries and sends again. The client decides whether and when, on its own clock. */
export function kyRetries({
  hold,
  method,
  limit,
  delayMs,
  pause,
  beforeRetry,
}: RetryRules): Pick<Options, 'retry' | 'hooks'> {
  let pauseMs = 0
  return {
    retry: {
      limit,
      methods: [method],
      shouldRetry: ({ error }) => {
        const next = delayMs(error)
        if (next === undefined) return false
        pauseMs = next
        hold.start()
        return true
      },
      // The wait is in `beforeRetry`, because ky knows only the system's clock.
      delay: () => 0,
      // A jitter of the caller's instance would wait on the system's clock.
      jitter: false,
    },
    hooks: {
      beforeRetry: [
        async () => {
          hold.release()
          await pause(pauseMs)
        },
        ...beforeRetry,
      ],
    },
  }
}

/**
 * Holds a virtual clock, which jumps from timer to timer, with a timer that is always due. ky waits at least one turn of
 * the system's timers before a retry, and does not know the virtual clock.
 */
export interface ClockHold {
  start(): void
  release(): void
  /** Releases the clock for good: a signal of the caller's instance can end ky between two attempts. */
  end(): void
}

export function createClockHold(clock: Clock): ClockHold {
  let stop = () => {}
  let isOver = false
  const again = () => {
    stop = startTimer(clock, 0, again)
  }
  const release = () => stop()
  return {
    start: () => {
      if (!isOver) again()
    },
    release,
    end: () => {
      isOver = true
      release()
    },
  }
}

/** Thrown when ky sends again although our rules do not allow it: a hook of the caller forced the retry. */
export class ForcedRetry extends Error {}

/** True when a hook of the caller forced a retry, and the client or ky, at its limit, rejected it. */
export function isForcedRetry(error: unknown): boolean {
  return error instanceof ForcedRetry || isForceRetryError(error)
}
