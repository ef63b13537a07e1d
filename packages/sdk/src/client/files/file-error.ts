import type { ModelRunError } from '@modelrun/kit'
import { wallNow } from '../../shared/clock.ts'
import { InvalidResponseError } from '../errors/transport-errors.ts'
import type { Failure } from '../http/operation.ts'
import { isWorthRetrying, retryAfterOf } from '../http/status-policy.ts'
import { INTERRUPTION_ERRORS } from '../http/to-error.ts'
import { aboutFile, nameOfUrl } from './file-name.ts'
import type { ResolvedDownload } from './resolve-download.ts'

export interface FailedDownload {
  download: ResolvedDownload
  /** How many requests were made. */
  requests: number
  /** Bytes that have been received. */
  position: number
  /** Bytes of the whole file, when the host says it. */
  size: number | undefined
  /** False when the reader has bytes and cannot start again. */
  canGoOn: boolean
}

export function fileError(failure: Failure, failed: FailedDownload): ModelRunError {
  const { jobId, client } = failed.download
  const fields = {
    ...aboutFile(describeFailure(failure, failed), jobId),
    retryAfterMs: retryAfterOf(failure, wallNow(client.clock)),
    isRetryable: isWorthRetrying('GET', failure),
  }
  if (failure.kind !== 'response') return new INTERRUPTION_ERRORS[failure.kind]({ ...fields, cause: failure.cause })
  return new InvalidResponseError({ ...fields, status: failure.received.status })
}

const STUCK = ' A stream that has given bytes cannot start again. `save`, `bytes` and `blob` do so by themselves.'

function describeFailure(failure: Failure, { download, requests, position, size, canGoOn }: FailedDownload): string {
  const tries = requests > 1 ? ` after ${requests} requests` : ''
  const place = position === 0 ? '' : ` The first ${position}${size === undefined ? '' : ` of ${size}`} bytes had come.`
  const hint = failure.kind === 'connection' && failure.hint !== undefined ? ` ${failure.hint}` : ''
  return `The download of ${nameOfUrl(download.url)} failed${tries}: ${reasonOf(failure, download)}.${place}${hint}${canGoOn ? '' : STUCK}`
}

function reasonOf(failure: Failure, { timeoutMs, deadlineMs }: ResolvedDownload): string {
  switch (failure.kind) {
    case 'response':
      return failure.problem ?? `HTTP ${failure.received.status}`
    case 'timeout':
      return `no bytes came for ${timeoutMs} ms (\`timeoutMs\`)`
    case 'aborted':
      return 'it was aborted by the caller'
    case 'deadline':
      return `it did not finish within deadlineMs (${deadlineMs} ms)`
    default:
      return failure.reason
  }
}
