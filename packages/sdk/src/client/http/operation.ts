import type { Permission } from '@modelrun/contract'
import type { Attempt, Submission } from '@modelrun/kit'
import type { Options } from 'ky'
import type { Scope } from '../../shared/clock.ts'
import type { FetchOptions, HeadersOption, ResolvedFetchOptions } from './fetch.ts'

/** Per-call options that every method takes. */
export interface CallOptions {
  /** Aborts the call, which rejects at once with `AbortedError`. */
  signal?: AbortSignal | undefined
  /** Time limit of one HTTP request, in milliseconds. Default: the client's. */
  timeoutMs?: number | undefined
  /** How often a request is sent again at most. Default: the client's. */
  maxRetries?: number | undefined
  /** Sent with every request of this call; overrides the client's of the same name. `authorization` stays the API key. */
  headers?: HeadersOption | undefined
  /** Passed to `fetch` with every request of this call; overrides the client's of the same name. */
  fetchOptions?: FetchOptions | undefined
}

/** An HTTP response whose body has been read. */
export interface ReceivedResponse {
  status: number
  /** Without the API key, as `requestId`. */
  text: string
  requestId: string | undefined
  response: Response
  /** True when the connection broke before the end of the body. */
  isCut: boolean
  /** True when `fetch` has sent the request more than once: one of the others may have been accepted. */
  isRepeated?: boolean | undefined
  /** The body of the request, which an error may repeat. */
  sent?: string | undefined
  /** Why the body could not be read, or is not parsed. */
  problem?: string | undefined
  /** The value of the body, once {@link jsonIn} has parsed it. */
  parsed?: { value: unknown } | undefined
  /** What it says of a run, once `runIn` has looked. */
  run?: { found: NamedRun | undefined } | undefined
}

/** The run that a response speaks of. */
export interface NamedRun {
  /** Of its job, when that can be read. */
  jobId: string | undefined
  /** True when the response is about this job. Else it may be another one. */
  isOwn: boolean
}

/** The HTTP methods of calls. */
export type RequestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One call of one endpoint, before it becomes an HTTP request. */
export interface Operation<T> {
  route: { method: RequestMethod; path: string; permission?: Permission | undefined }
  parameters?: Record<string, string> | undefined
  query?: Record<string, string | number | boolean | undefined> | undefined
  body?: unknown
  /** How long the service may hold the request on purpose, in milliseconds. */
  holdMs?: number | undefined
  /** True when accepting the request costs credits: then it is never sent twice. */
  isRun?: boolean | undefined
  /** The word for such a request in errors. Default `run`. */
  noun?: 'run' | 'request' | undefined
  /** The job that the call is about. */
  jobId?: string | undefined
  /** True when the call reads what a cancellation did. */
  followsCancel?: boolean | undefined
  /** True when the service itself named that job to this client: only then it is known to exist. */
  isJobConfirmed?: boolean | undefined
  /** Turns a 2xx response into the result. @throws UnreadableResponse */
  read(received: ReceivedResponse): T
  /** Turns an error response into a result where it is one. `mayHaveArrived`: the service may have acted on an earlier attempt. */
  readError?: ((received: ReceivedResponse, mayHaveArrived: boolean) => { data: T } | undefined) | undefined
}

/** Says why a response cannot be read. The transport makes an `InvalidResponseError` of it. */
export class UnreadableResponse {
  readonly problem: string
  constructor(problem: string) {
    this.problem = problem
  }
}

/** The result of a call with its HTTP response. */
export interface ApiResult<T> {
  /** The parsed result, as the call returns it without `withResponse()`. */
  data: T
  /** The HTTP response: status and headers. Its body has been read. */
  response: Response
  /** The service's id of the request, from `x-request-id`. */
  requestId: string | undefined
  /** Every HTTP request of the call, in order. */
  attempts: readonly Attempt[]
}

/** Why there is no complete response. */
export type InterruptionKind = 'connection' | 'timeout' | 'aborted' | 'deadline' | 'no_key'

/** An attempt without a complete response. */
export interface Interruption {
  kind: InterruptionKind
  /** A code or a few words, e.g. `ECONNRESET`. */
  reason: string
  /** A sentence on what to do, where that is known. */
  hint?: string | undefined
  /** Whether the service may have received the request. */
  submission: Submission
  cause: unknown
  /** The part of the response that was received before the time limit. */
  partial?: ReceivedResponse | undefined
}

export type Outcome = { kind: 'response'; received: ReceivedResponse } | Interruption

/** An outcome that is not a result; `problem` says why a success cannot be read. */
export type Failure = { kind: 'response'; received: ReceivedResponse; problem?: string | undefined } | Interruption

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

/** What the transport needs of the call around it. */
export interface CallContext {
  scope: Scope
  options: CallOptions & { keepSent?: boolean | undefined }
  /** Called right before each attempt, when its API key is known. May change the body. What it throws is the error of the call. */
  beforeSend?: ((context: CallContext) => Promise<void>) | undefined
}
