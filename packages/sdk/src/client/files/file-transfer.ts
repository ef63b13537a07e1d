import type { ModelRunError } from '@modelrun/kit'
import {
  abortable,
  linkController,
  openScope,
  recordAttempt,
  type Scope,
  sleep,
  startLimit,
  toBackgroundClock,
  withRequests,
} from '../../shared/clock.ts'
import { timesSince } from '../http/call.ts'
import { isSteering } from '../http/network-failure.ts'
import type { Failure, Interruption } from '../http/operation.ts'
import { toBytes } from '../http/read-response.ts'
import { disconnected, interrupted, TIMEOUT } from '../http/send-attempt.ts'
import { retryDelayMs } from '../http/status-policy.ts'
import { fileError } from './file-error.ts'
import { nameOfUrl } from './file-name.ts'
import { type FileRoute, fetchFile } from './follow-redirects.ts'
import type { ResolvedDownload } from './resolve-download.ts'

/** Bytes of a file and their position. The position 0 after others means that the file starts again. */
export interface FileChunk {
  at: number
  bytes: Uint8Array<ArrayBuffer>
}

/** Some runtimes end a body that is shorter than its content-length as if it were whole. */
const CUT_SHORT: Interruption = {
  kind: 'connection',
  reason: 'the body ended too early',
  submission: 'not_sent',
  cause: undefined,
}

/** A response whose body is being read. */
interface OpenBody {
  /** The next bytes, or undefined at the end. Never rejects. */
  read(): Promise<Uint8Array<ArrayBuffer> | undefined | Interruption>
  close(): void
}

/** The bytes of one file. When its body breaks, the file is requested again, and starts again. */
export class FileTransfer {
  readonly #download: ResolvedDownload
  readonly scope: Scope
  #body: OpenBody | undefined
  /** The request that is under way, or whose body is read. */
  #current: { startedAt: number; response?: Response } | undefined
  #position = 0
  /** Bytes of the whole file; undefined when the host does not say it, or compresses the file. */
  size: number | undefined

  constructor(download: ResolvedDownload) {
    this.#download = download
    const { client, signal, deadlineMs } = download
    // A stream that the program holds and does not read must not delay the end of the process until the deadline.
    this.scope = openScope({ clock: toBackgroundClock(client.clock), signal, deadlineMs })
  }

  /** Requests the file and gives the response, whose body is read with `read`. @throws ModelRunError */
  async open(): Promise<Response> {
    return await this.#orClose(() => this.#request())
  }

  /** The next bytes, or undefined at the end. `mayRestart`: the reader can drop the bytes it has. @throws ModelRunError */
  async read({ mayRestart }: { mayRestart: boolean }): Promise<FileChunk | undefined> {
    return await this.#orClose(async () => {
      const read = await this.#body?.read()
      if (read instanceof Uint8Array) return this.#take(read)
      if (this.size === undefined ? read === undefined : this.#position >= this.size) {
        this.close()
        return undefined
      }
      const canGoOn = mayRestart || this.#position === 0
      await this.#prepareRetry(read ?? CUT_SHORT, canGoOn)
      await this.#request()
      this.#position = 0
      return { at: 0, bytes: new Uint8Array() }
    })
  }

  /** Frees the connection and forgets the caller's signal. */
  close(): void {
    this.#record(undefined)
    this.#body?.close()
    this.#body = undefined
    this.scope.close()
  }

  async #orClose<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.scope
    try {
      signal.throwIfAborted()
      return await work()
    } catch (error) {
      const end = signal.aborted ? this.#failed(interrupted(signal, 'not_sent')) : error
      this.close()
      throw withRequests(end, this.scope.sent)
    }
  }

  #take(bytes: Uint8Array<ArrayBuffer>): FileChunk {
    const at = this.#position
    this.#position += bytes.byteLength
    this.#checkSize(this.#position)
    return { at, bytes }
  }

  async #request(): Promise<Response> {
    for (;;) {
      const found = await this.#send()
      if ('response' in found) return found.response
      await this.#prepareRetry(found.failure, true)
    }
  }

  async #send(): Promise<{ response: Response } | { failure: Failure }> {
    const { client, url, timeoutMs } = this.#download
    const route: FileRoute = { urls: [url] }
    this.#current = { startedAt: client.clock.now() }
    const controller = linkController(this.scope.signal)
    const redact = (text: string) => route.urls.reduce((shown, one) => shown.replaceAll(one.href, nameOfUrl(one)), text)
    const stopped = (error: unknown) => {
      if (controller.signal.aborted) return interrupted(controller.signal, 'not_sent')
      if (isSteering(error)) throw error
      return disconnected(error, 'not_sent', redact)
    }
    const within = <T>(work: Promise<T>): Promise<T | Interruption> => {
      const stopTimer = startLimit(client.clock, timeoutMs, () => controller.abort(TIMEOUT))
      return abortable(work, controller.signal).catch(stopped).finally(stopTimer)
    }
    const headers = { 'accept-encoding': 'identity' }
    const response = await within(
      fetchFile(this.#download, { method: 'GET', headers, signal: controller.signal }, route),
    )
    if (isInterruption(response)) {
      controller.release()
      return { failure: response }
    }
    const reader = readerOf(response)
    const body: OpenBody = {
      read: async () => {
        if (reader === undefined) return undefined
        const chunk = await within(reader.read())
        return isInterruption(chunk) ? chunk : chunk.value && (await toBytes(chunk.value))
      },
      close: () => {
        controller.release()
        reader?.cancel().catch(() => {})
      },
    }
    return this.#admit(response, body, route)
  }

  /** Takes a response with the whole file. */
  #admit(response: Response, body: OpenBody, { problem }: FileRoute): { response: Response } | { failure: Failure } {
    Object.assign(this.#current ?? {}, { response })
    if (problem !== undefined || !isWhole(response)) {
      body.close()
      return { failure: responseFailure(response, problem && `its host ${problem}`) }
    }
    this.#body = body
    this.size = sizeIn(response)
    this.#checkSize(this.size ?? 0)
    return { response }
  }

  /** Waits until the file may be requested again. @throws The error of the download when it may not be */
  async #prepareRetry(failure: Failure, canGoOn: boolean): Promise<void> {
    const { client, maxRetries } = this.#download
    this.#body?.close()
    this.#body = undefined
    const error = this.#failed(failure, canGoOn)
    const retryCount = this.scope.sent.attempts.length - 1
    if (!canGoOn || !error.isRetryable || retryCount >= maxRetries) throw error
    const delayMs = retryDelayMs(retryCount, error.retryAfterMs, client.random)
    if (delayMs === undefined || delayMs >= this.scope.remainingMs()) throw error
    Object.assign(this.scope.sent.attempts.at(-1) ?? {}, { delayMs })
    await sleep(client.clock, delayMs, this.scope.signal)
  }

  #failed(failure: Failure, canGoOn = true): ModelRunError {
    this.#record(failure.kind === 'response' ? failure.problem : failure.reason)
    const requests = this.scope.sent.attempts.length
    const [download, position, size] = [this.#download, this.#position, this.size]
    return fileError(failure, { download, requests, position, size, canGoOn })
  }

  /** Records the end of the request that is under way. */
  #record(problem: string | undefined): void {
    if (this.#current === undefined) return
    const { startedAt, response } = this.#current
    const times = timesSince(this.#download.client.clock, startedAt)
    const { status } = response ?? {}
    const reason = problem ?? (response ? `HTTP ${status}` : 'closed')
    this.#current = undefined
    const requestId = response?.headers.get('x-request-id') ?? undefined
    recordAttempt(this.scope, { ...times, status, reason }, requestId)
  }

  #checkSize(byteCount: number): void {
    const { maxBytes } = this.#download
    const { response } = this.#current ?? {}
    if (byteCount <= maxBytes || response === undefined) return
    throw this.#failed(responseFailure(response, `the file is larger than maxBytes (${maxBytes})`))
  }
}

function responseFailure(response: Response, problem: string | undefined): Failure {
  const received = { status: response.status, text: '', requestId: undefined, response, isCut: false }
  return { kind: 'response', received, problem }
}

type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>, 'cancel'> & {
  read(): Promise<{ value?: Uint8Array<ArrayBuffer> | undefined }>
}

function readerOf(response: Response): BodyReader | undefined {
  // A `fetch` without streams, such as that of React Native, leaves `body` out.
  if (response.body !== undefined) return response.body?.getReader()
  let isRead = false
  const read = async () => {
    if (isRead) return {}
    isRead = true
    return { value: new Uint8Array(await response.arrayBuffer()) }
  }
  return { read, cancel: async () => {} }
}

function isInterruption(value: unknown): value is Interruption {
  return typeof value === 'object' && value !== null && 'kind' in value && 'submission' in value
}

/** Some hosts serve a whole file as a range of it that the client has not asked for. */
function isWhole({ status, headers }: Response): boolean {
  const [, last, size] = /^bytes 0-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  return status === 200 || status === 203 || (status === 206 && Number(last) + 1 === Number(size))
}

/** Of an encoded file, the length of the body is another one. A page may not be shown the encoding of another origin. */
function sizeIn({ headers, type }: Response): number | undefined {
  const length = headers.get('content-length') ?? ''
  const isPlain = (headers.get('content-encoding') ?? 'identity') === 'identity' && type !== 'cors'
  return isPlain && /^\d+$/.test(length) ? Number(length) : undefined
}
