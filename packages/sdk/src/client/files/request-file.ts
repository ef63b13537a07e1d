import { ModelRunError } from '@modelrun/kit'
import ky, { type Hooks, type KyInstance, type Options } from 'ky'
import { createClockHold, ForcedRetry, isErrorOfKy, isForcedRetry, kyRetries } from '../http/ky-retries.ts'
import type { Failure } from '../http/operation.ts'
import type { ResolvedOptions } from '../options.ts'
import type { FileAttempts } from './file-attempts.ts'
import { nameOfUrl } from './file-name.ts'
import { type FilePart, headOf, isInterruption, requestPart } from './file-part.ts'
import { type FileRoute, fetchFile } from './follow-redirects.ts'
import type { DownloadScope, ResolvedDownload } from './resolve-download.ts'

/** The parts of a request for a file or for its rest. */
export interface FileRequest {
  download: ResolvedDownload
  scope: DownloadScope
  attempts: FileAttempts
  fileKy: FileKy
  headers(): Record<string, string>
  /** Accepts a response, or returns why it cannot be used. */
  admit(part: FilePart): Failure | undefined
  /** Milliseconds until the next request; undefined when there is none. */
  takeRetry(): number | undefined
  /** The error for the last failure. */
  error(): ModelRunError
  /** The error for a hook of the caller that threw. */
  hookError(cause: unknown): ModelRunError
}

/** Requests a file, and again as often as the rules allow. @throws ModelRunError */
export async function requestFile(request: FileRequest): Promise<void> {
  const { download, attempts, fileKy } = request
  let maySend = true
  /** Whether the last response can be read. */
  let isOpen = false
  const hold = createClockHold(download.client.clock)
  const retries = kyRetries({
    hold,
    method: 'GET',
    limit: Math.max(0, attempts.retriesLeft),
    delayMs: () => {
      const delayMs = request.takeRetry()
      maySend = delayMs !== undefined
      return delayMs
    },
    pause: (delayMs) => attempts.pause(delayMs),
    beforeRetry: fileKy.hooks.beforeRetry ?? [],
  })
  const sendOnce = async () => {
    if (!maySend) throw new ForcedRetry('A hook asked to request the file again.')
    maySend = false
    const head = await attempt(request, (signal, route) => send(request, signal, route))
    isOpen = attempts.failure === undefined
    return head
  }
  try {
    const response = await fileKy.ky(download.url.href, {
      ...retries,
      headers: request.headers(),
      hooks: { ...fileKy.hooks, ...retries.hooks },
      throwHttpErrors: () => attempts.failure !== undefined,
      fetch: sendOnce,
    })
    if (isOpen) return
    // `ky.stop` has ended the retries, or a hook has responded instead of the host.
    if (response === undefined) throw request.error()
    await attempt(request, () => Promise.resolve(response))
  } catch (error) {
    const failure = failureOf(request, error, isOpen)
    if (failure !== undefined) throw failure
  } finally {
    hold.end()
  }
}

/** The error for what ky threw. Undefined when the last response can still be read. */
function failureOf(request: FileRequest, error: unknown, isOpen: boolean): unknown {
  const { download, scope, attempts } = request
  const isForced = isForcedRetry(error)
  if (isForced) {
    download.client.log.warn(`${nameOfUrl(download.url)} was not requested again, although a ky hook asked for it`)
    if (isOpen) return undefined
  }
  if (attempts.failure && (isForced || isErrorOfKy(error, 'HTTPError') || error instanceof ModelRunError))
    return request.error()
  return scope.signal.aborted ? error : request.hookError(error)
}

type Send = (signal: AbortSignal, route: FileRoute) => Promise<Response>

/** One request. Hooks see the head of its response; the body is for the reader alone. */
async function attempt(request: FileRequest, send: Send): Promise<Response> {
  const { download, scope, attempts } = request
  const { client, timeoutMs, url } = download
  const route: FileRoute = { urls: [url] }
  attempts.start()
  const redact = (text: string) => route.urls.reduce((shown, one) => shown.replaceAll(one.href, nameOfUrl(one)), text)
  const sendOnRoute = (signal: AbortSignal) => send(signal, route)
  const part = await requestPart(sendOnRoute, { clock: client.clock, signal: scope.signal, timeoutMs, redact })
  if (!isInterruption(part)) attempts.respond(part.response.status)
  const failure = isInterruption(part) ? part : (rejectedRedirect(part, route) ?? request.admit(part))
  if (failure) attempts.fail(failure)
  if (isInterruption(part)) throw request.error()
  if (failure) part.close()
  if (failure && (failure.kind !== 'response' || failure.problem !== undefined)) throw request.error()
  const { status, statusText, headers } = part.response
  return new Response(null, { status, statusText, headers })
}

function rejectedRedirect({ response }: FilePart, { problem }: FileRoute): Failure | undefined {
  return problem === undefined
    ? undefined
    : { kind: 'response', received: headOf(response), problem: `its host ${problem}` }
}

/** Changes that a hook made to ky's request are not sent: they are for the service, and the file may be on any host. */
function send({ download, headers }: FileRequest, signal: AbortSignal, route: FileRoute): Promise<Response> {
  return fetchFile(download, { method: 'GET', headers: headers(), signal }, route)
}

/** ky for the requests of downloads. */
export interface FileKy {
  ky: KyInstance
  /** The hooks of the caller's instance. */
  hooks: Hooks
}

/**
 * ky for files. It has only the hooks of the caller's instance and their `context`: headers, search parameters and a body
 * are for the service, and files may be on any host. `init` hooks are left out, because they could add them again.
 */
export function createFileKy(client: ResolvedOptions): FileKy {
  let mine: Options = {}
  client.ky?.extend((defaults) => {
    mine = defaults
    return {}
  })
  const { beforeRequest = [], beforeRetry = [], afterResponse = [], beforeError = [] } = mine.hooks ?? {}
  return {
    // Hooks return values of the caller's copy of ky, such as `ky.stop`.
    ky: (client.ky ?? ky).create({ timeout: false, ...(mine.context ? { context: mine.context } : {}) }),
    hooks: {
      beforeRequest,
      beforeRetry,
      afterResponse,
      // These hooks see the error. They do not replace it.
      beforeError: beforeError.map((hook) => async (state) => {
        await hook(state)
        return state.error
      }),
    },
  }
}
