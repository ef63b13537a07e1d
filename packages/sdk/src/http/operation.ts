import type { Permission } from '@modelrun/contract'
import type { Submission } from '../errors/model-run-error.ts'
import type { AttemptEvent } from '../observe/attempt-event.ts'
import type { Scope } from '../scope.ts'
import type { FetchOptions } from './fetch-options.ts'
import type { HeadersOption } from './request-headers.ts'

/** Per-call options that every method takes. */
export interface CallOptions {
  /** Aborts the call; it settles at once with `AbortedError`. */
  signal?: AbortSignal | undefined
  /** Time limit of one HTTP request, in milliseconds. Default: the client's. */
  timeoutMs?: number | undefined
  /** How often a request is sent again at most. Default: the client's. */
  maxRetries?: number | undefined
  /** Sent with every request of this call, over the client's of the same name. `authorization` stays the API key. */
  headers?: HeadersOption | undefined
  /** Handed to `fetch` with every request of this call, over the client's of the same name. */
  fetchOptions?: FetchOptions | undefined
}

/** A whole HTTP answer. */
export interface ReceivedResponse {
  status: number
  text: string
  response: Response
  /** The connection broke, or the answer was too large, before the body's end. */
  isCut: boolean
}

/** The HTTP methods that are used. */
export type RequestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One call of one endpoint, before it becomes HTTP. */
export interface Operation<T> {
  route: { method: RequestMethod; path: string; permission?: Permission | undefined }
  parameters?: Record<string, string> | undefined
  query?: Record<string, string | number | boolean | undefined> | undefined
  body?: unknown
  /** How long the service may hold the request on purpose, in milliseconds. */
  holdMs?: number | undefined
  /** True when accepting the request costs credits: then it is never sent twice. */
  isRun?: boolean | undefined
  /** What errors call such a request. Default `run`. */
  noun?: 'run' | 'request' | undefined
  /** The job that the call is about. */
  jobId?: string | undefined
  /** True when the service itself named that job to this client: only then it is known to exist. */
  isJobConfirmed?: boolean | undefined
  /** The job that an answer names, however little of it came. */
  jobIdIn?: ((received: ReceivedResponse) => string | undefined) | undefined
  /** Turns a 2xx answer into the result; throws {@link UnreadableResponse}. */
  read(received: ReceivedResponse): T
  /** Turns an error answer into the result where it is one; `mayHaveArrived`: an earlier attempt may have counted. */
  readError?: ((received: ReceivedResponse, mayHaveArrived: boolean) => { data: T } | undefined) | undefined
}

/** Says why an answer cannot be read; the pipeline makes it an `InvalidResponseError`. */
export class UnreadableResponse {
  readonly problem: string
  constructor(problem: string) {
    this.problem = problem
  }
}

/** Result of a call with its HTTP answer. */
export interface ApiResult<T> {
  /** The parsed result: what the call gives without `withResponse()`. */
  data: T
  /** The HTTP answer: status and headers. Its body has been read. */
  response: Response
  /** The service's id of the request, from `x-request-id`. */
  requestId: string | undefined
}

/** Why there was no whole answer. */
export type InterruptionKind = 'connection' | 'timeout' | 'aborted' | 'deadline' | 'no_key'

/** An attempt that came to no whole answer. */
export interface Interruption {
  kind: InterruptionKind
  /** A code or a few words, e.g. `ECONNRESET`. */
  reason: string
  /** A sentence on what to do, where that is known. */
  hint?: string | undefined
  /** What became of the request, seen from here. */
  submission: Submission
  cause: unknown
  /** The answer as far as it had come when its time was over. */
  partial?: ReceivedResponse | undefined
}

/** What one attempt came to. */
export type Outcome = { kind: 'response'; received: ReceivedResponse } | Interruption

/** An outcome that is not a result; `problem` says why a success cannot be read. */
export type Failure = { kind: 'response'; received: ReceivedResponse; problem?: string | undefined } | Interruption

/** What the pipeline needs of the call around it. */
export interface CallContext {
  scope: Scope
  options: CallOptions
  /** Called after each attempt. Must not throw. */
  onAttempt?: ((event: AttemptEvent) => void) | undefined
}
