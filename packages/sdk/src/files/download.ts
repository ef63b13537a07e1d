import ky from 'ky'
import { abortable, linkController, sleep } from '../abort.ts'
import { startTimer } from '../clock.ts'
import { ConfigurationError } from '../errors/local-errors.ts'
import { ModelRunError } from '../errors/model-run-error.ts'
import { AbortedError, AttemptTimeoutError, ConnectionError, InvalidResponseError } from '../errors/transport-errors.ts'
import { callFetch } from '../http/call-fetch.ts'
import type { FetchInit } from '../http/fetch-like.ts'
import { type FetchOptions, fileFetchOptions, type ResolvedFetchOptions } from '../http/fetch-options.ts'
import { kyRetries, type RetryRules } from '../http/ky-retries.ts'
import { describeNetworkFailure } from '../http/network-failure.ts'
import { parseRetryAfter } from '../http/retry-after.ts'
import { retryDelayMs } from '../http/retry-policy.ts'
import { positive, type ResolvedOptions, wholeNumber } from '../options.ts'
import { fileNameOf } from './file-name.ts'

/** Options of a download. */
export interface DownloadOptions {
  signal?: AbortSignal | undefined
  /** Largest file that is accepted, in bytes. Default 1 GiB. */
  maxBytes?: number | undefined
  /** Time limit until the head of the answer, and between two chunks of the body, in milliseconds. Default 30 000. */
  timeoutMs?: number | undefined
  /** How often the file is asked for again at most, before its first byte. Default: the client's. */
  maxRetries?: number | undefined
  /** Handed to `fetch`, over the client's of the same name. */
  fetchOptions?: FetchOptions | undefined
}

/** A file on its way. Read `stream` to its end or cancel it. */
export interface DownloadedFile {
  /** A safe file name made from the address and the content type. */
  name: string
  /** From the answer; undefined when it has none. */
  contentType: string | undefined
  /** The bytes; fails with the errors of the download. */
  stream: ReadableStream<Uint8Array>
  /** Reads the whole file into memory. */
  bytes(): Promise<Uint8Array>
}

const DEFAULT_MAX_BYTES = 1024 ** 3

/** Marks an abort as a time limit. */
const TIMEOUT = /* @__PURE__ */ Symbol('timeout')

/** Fetches a produced file. The API key is not sent: the address may be anywhere. */
export async function download(
  client: ResolvedOptions,
  address: string,
  options: DownloadOptions = {},
): Promise<DownloadedFile> {
  const url = readAddress(address)
  const maxBytes = positive('maxBytes', options.maxBytes ?? DEFAULT_MAX_BYTES)
  const limit = wholeNumber('maxRetries', options.maxRetries ?? client.maxRetries)
  const fetchOptions = fileFetchOptions(client, options.fetchOptions)
  const guard = openGuard(client, url, options)
  try {
    const retries = kyRetries(downloadRetries(client, limit, guard))
    // An instance of its own: that of the client has its headers and its address.
    const response = await ky(url, {
      ...retries,
      timeout: false,
      fetch: () => fetchFile({ client, url, guard, fetchOptions }),
    })
    const { body } = response
    if (body === null) throw new InvalidResponseError({ message: `The file at ${url.origin}${url.pathname} is empty.` })
    const contentType = response.headers.get('content-type') ?? undefined
    const stream = guardedStream(body, guard, maxBytes)
    return {
      name: fileNameOf(url, contentType),
      contentType,
      stream,
      bytes: async () => new Uint8Array(await new Response(stream).arrayBuffer()),
    }
  } catch (error) {
    guard.close()
    throw error
  }
}

interface FileRequest {
  client: ResolvedOptions
  url: URL
  guard: Guard
  fetchOptions: ResolvedFetchOptions
}

/** One attempt. Its errors are those of the download, if no other attempt follows. */
async function fetchFile({ client, url, guard, fetchOptions }: FileRequest): Promise<Response> {
  const init: FetchInit = { method: 'GET', headers: {}, redirect: 'follow', signal: guard.signal }
  const sent = callFetch(client, { url: url.href, init, fetchOptions })
  const response = await guard.within(sent).catch((error: unknown) => {
    throw guard.explain(error)
  })
  if (response.ok) return response
  const { status, headers } = response
  response.body?.cancel().catch(() => {})
  throw new InvalidResponseError({
    message: `The file at ${url.origin}${url.pathname} cannot be had: HTTP ${status}.`,
    status,
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), client.clock.now()),
    isRetryable: status >= 500 || status === 429,
  })
}

function downloadRetries({ clock, random }: ResolvedOptions, limit: number, guard: Guard): RetryRules {
  let retryCount = 0
  return {
    clock,
    method: 'GET',
    limit,
    delayMs: (error) => {
      if (!(error instanceof ModelRunError) || !error.isRetryable || guard.signal.aborted) return undefined
      return retryDelayMs({ retryCount: retryCount++, retryAfterMs: error.retryAfterMs, random })
    },
    pause: (delayMs) =>
      sleep(clock, delayMs, guard.signal).catch((error: unknown) => {
        throw guard.explain(error)
      }),
  }
}

function readAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url
  throw new ConfigurationError({ message: 'The address of a file must be an http or https address.' })
}

/** Time limit and abort of one download, and what they mean as errors. */
interface Guard {
  signal: AbortSignal
  within<T>(work: Promise<T>): Promise<T>
  explain(error: unknown): unknown
  close(): void
}

function openGuard(client: ResolvedOptions, url: URL, options: DownloadOptions): Guard {
  const timeoutMs = positive('timeoutMs', options.timeoutMs ?? client.timeoutMs)
  const controller = linkController(options.signal)
  const what = `The download of ${url.origin}${url.pathname}`
  return {
    signal: controller.signal,
    within: (work) => {
      const stopTimer = startTimer(client.clock, timeoutMs, () => controller.abort(TIMEOUT))
      return abortable(work, controller.signal).finally(stopTimer)
    },
    explain: (error) => {
      if (controller.signal.reason === TIMEOUT) {
        return new AttemptTimeoutError({ message: `${what} stood still for ${timeoutMs} ms.`, isRetryable: true })
      }
      if (controller.signal.aborted) {
        return new AbortedError({ message: `${what} was aborted by the caller.`, cause: controller.signal.reason })
      }
      if (error instanceof InvalidResponseError) return error
      const { reason, hint, cause } = describeNetworkFailure(error)
      const message = `${what} failed: ${reason}.${hint === undefined ? '' : ` ${hint}`}`
      return new ConnectionError({ message, cause, isRetryable: true })
    },
    close: controller.release,
  }
}

function guardedStream(body: ReadableStream<Uint8Array>, guard: Guard, maxBytes: number): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let byteCount = 0
  const fail = (error: unknown): never => {
    guard.close()
    reader.cancel().catch(() => {})
    throw guard.explain(error)
  }
  return new ReadableStream({
    pull: async (controller) => {
      const chunk = await guard.within(reader.read()).catch(fail)
      if (chunk.done) {
        guard.close()
        controller.close()
        return
      }
      byteCount += chunk.value.byteLength
      if (byteCount > maxBytes) {
        fail(new InvalidResponseError({ message: `The file is larger than maxBytes (${maxBytes}).` }))
      }
      controller.enqueue(chunk.value)
    },
    cancel: async (reason) => {
      guard.close()
      await reader.cancel(reason)
    },
  })
}
