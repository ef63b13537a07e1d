import type { Attempt, ErrorFields, ModelRunError } from '@modelrun/kit'
import { InvalidResponseError } from '../errors/transport-errors.ts'
import type { Failure } from '../http/operation.ts'
import { INTERRUPTION_ERRORS } from '../http/to-error.ts'
import { nameOfUrl } from './file-name.ts'
import type { ResolvedDownload } from './resolve-download.ts'
import { resultIsSafe } from './result-is-safe.ts'

/** The details of a failed download. */
export interface FailedDownload {
  download: ResolvedDownload
  attempts: readonly Attempt[]
  /** Bytes that have been received. */
  position: number
  /** Bytes of the whole file, when the host says it. */
  size: number | undefined
  /** False when the reader has bytes and cannot start again. */
  canGoOn: boolean
  retryAfterMs: number | undefined
  isRetryable: boolean
}

/** The error for a failure. */
export function fileError(failure: Failure, failed: FailedDownload): ModelRunError {
  const fields = fieldsOf(describeFailure(failure, failed), failed)
  if (failure.kind !== 'response') return new INTERRUPTION_ERRORS[failure.kind]({ ...fields, cause: failure.cause })
  return new InvalidResponseError({ ...fields, status: failure.received.status })
}

const STUCK = ' A stream that has given bytes cannot start again. `save`, `bytes` and `blob` do so by themselves.'

/** The error for a file that is larger than the program accepts. */
export function tooLargeError(failed: FailedDownload): InvalidResponseError {
  const { url, maxBytes } = failed.download
  const message = `The file at ${nameOfUrl(url)} is larger than maxBytes (${maxBytes}).`
  return new InvalidResponseError(fieldsOf(message, { ...failed, isRetryable: false }))
}

function fieldsOf(message: string, { download, attempts, retryAfterMs, isRetryable }: FailedDownload): ErrorFields {
  const { jobId } = download
  return {
    message: jobId === undefined ? message : `${message}${resultIsSafe(jobId)}`,
    attempts,
    jobId,
    submission: jobId === undefined ? 'not_sent' : 'accepted',
    retryAfterMs,
    isRetryable,
  }
}

function describeFailure(failure: Failure, { download, attempts, position, size, canGoOn }: FailedDownload): string {
  const url = nameOfUrl(download.url)
  const stuck = canGoOn ? '' : STUCK
  const tries = attempts.length > 1 ? ` after ${attempts.length} requests` : ''
  const place = position === 0 ? '' : ` The first ${position}${size === undefined ? '' : ` of ${size}`} bytes had come.`
  switch (failure.kind) {
    case 'response': {
      const { status } = failure.received
      if (failure.problem !== undefined) return `The download of ${url} cannot continue: ${failure.problem}.${place}`
      const hint = [401, 403, 404, 410].includes(status) ? ' Its url may have expired.' : ''
      return `The file at ${url} could not be fetched${tries}: HTTP ${status}.${place}${hint}`
    }
    case 'timeout':
      return `The download of ${url} received no bytes for ${download.timeoutMs} ms${tries}.${place} Raise \`timeoutMs\` if the host is slow.${stuck}`
    case 'aborted':
      return `The download of ${url} was aborted by the caller.${place}`
    case 'deadline':
      return `The download of ${url} did not finish within deadlineMs (${download.deadlineMs} ms).${place}`
    default: {
      const hint = failure.hint === undefined ? '' : ` ${failure.hint}`
      return `The download of ${url} failed${tries}: ${failure.reason}.${place}${hint}${stuck}`
    }
  }
}
