import type { OutputItem } from '@modelrun/contract'
import type { CallOptions } from '../http/operation.ts'

/** Options of a download. */
export interface DownloadOptions extends Pick<CallOptions, 'signal' | 'maxRetries' | 'fetchOptions'> {
  /** Largest file that is accepted, in bytes. Default 1 GiB. */
  maxBytes?: number | undefined
  /**
   * Time limit until the head of a response, and between two chunks of its body, in milliseconds. Default: the client's
   * (30 000).
   */
  timeoutMs?: number | undefined
  /** Time limit of the whole download of one file, in milliseconds. Default 600 000 (10 minutes); `Infinity` for none. */
  deadlineMs?: number | undefined
  /** The job that produced the file, for errors. */
  jobId?: string | undefined
  /**
   * The only hosts that the file may come from, also after redirects; written as for `isSafeOutputUrl`, like `*.example.com`.
   * Default: public names, the host of `baseUrl`, and this machine where the service is on it; for redirects also the origin of
   * the url.
   */
  allowedHosts?: readonly string[] | undefined
}

/** Options of `files.save`; those of a download count for each file. */
export interface SaveOptions extends Omit<DownloadOptions, 'jobId'> {
  /**
   * Names a file: a plain name, without folders. A name without an extension gets that of the file. Default: the job's id
   * and the place of the item, like `job_1-0.png`.
   */
  name?: ((item: OutputItem, index: number) => string) | undefined
  /**
   * Replaces files that have other content. Without it the call fails for such a file and does not change it. A file with
   * the same content counts as saved. Default false.
   */
  overwrite?: boolean | undefined
}

/** Options of `toDataUri`. */
export interface ToDataUriOptions {
  /**
   * Media type of the file, for bytes that do not say it themselves, such as `'text/csv'`. Default: what the bytes say,
   * and where they say nothing, the `type` of the Blob.
   */
  type?: string | undefined
  /**
   * Largest file that is accepted, in bytes. Default 768 000: as base64, and with the other parameters of a run, it fits
   * a request body of 1 MiB, which the reference server takes. The limit of the service is not specified (section 8).
   */
  maxBytes?: number | undefined
}
