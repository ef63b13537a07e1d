import type { ModelRunError } from '@modelrun/kit'
import type { Failure, Interruption } from '../http/operation.ts'
import { interrupted } from '../http/send-attempt.ts'
import { FileAttempts } from './file-attempts.ts'
import { type FailedDownload, fileError, hookError, tooLargeError } from './file-error.ts'
import { type FilePart, headOf } from './file-part.ts'
import { continuesAt, type FileVersion, isSameFile, rangeHeaders, readVersion } from './file-version.ts'
import { createFileKy, type FileRequest, requestFile } from './request-file.ts'
import { type DownloadScope, openDownloadScope, type ResolvedDownload } from './resolve-download.ts'

/** Bytes of a file and their position. The position 0 after others means that the file starts again. */
export interface FileChunk {
  at: number
  bytes: Uint8Array<ArrayBuffer>
}

/** Options of a read. */
export interface ReadOptions {
  /** Whether the reader can drop the bytes it has, because the file starts again. */
  mayRestart: boolean
}

/** Some runtimes end a body that is shorter than its content-length as if it were whole. */
const CUT_SHORT: Interruption = {
  kind: 'connection',
  reason: 'the body ended too early',
  submission: 'not_sent',
  cause: undefined,
}

/**
 * The bytes of one file, over as many requests as needed. A broken body is resumed when the host proves that the file is
 * the same. Otherwise the file starts again, or the transfer fails when the reader cannot start again.
 */
export class FileTransfer {
  readonly #download: ResolvedDownload
  readonly #scope: DownloadScope
  readonly #attempts: FileAttempts
  readonly #request: FileRequest
  #part: FilePart | undefined
  /** Place of the next byte of the part. It is behind `#position` while a whole file comes again. */
  #partAt = 0
  /** Place of the next byte for the reader. */
  #position = 0
  #furthest = 0
  #version: FileVersion | undefined
  #canRange = true
  #mayRestart = true
  /** The reader does not know yet that the file starts again. */
  #hasRestarted = false

  constructor(download: ResolvedDownload) {
    this.#download = download
    this.#scope = openDownloadScope(download)
    this.#attempts = new FileAttempts(download, this.#scope)
    this.#request = {
      download,
      scope: this.#scope,
      attempts: this.#attempts,
      fileKy: createFileKy(download.client),
      headers: () => this.#headers(),
      admit: (part) => this.#admit(part),
      takeRetry: () => this.#takeRetry(),
      error: () => this.#error(),
      hookError: (cause) => hookError(cause, this.#fields()),
    }
  }

  /** Bytes of the whole file; undefined when the host does not say it. */
  get size(): number | undefined {
    return this.#version?.size
  }

  /** Sends the first request and gives its response, whose body is read with `read`. @throws ModelRunError */
  async open(): Promise<Response> {
    return await this.#during(async () => {
      const { response } = await this.#openPart()
      this.#checkSize(this.size ?? 0)
      return response
    })
  }

  /** The next bytes, or undefined at the end. @throws ModelRunError */
  async read({ mayRestart }: ReadOptions): Promise<FileChunk | undefined> {
    this.#mayRestart = mayRestart
    return await this.#during(() => this.#nextChunk())
  }

  /** Frees the connection and forgets the caller's signal. */
  close(): void {
    this.#dropPart()
    this.#scope.close()
  }

  async #during<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.#scope
    try {
      return await this.#scope.during(work)
    } catch (error) {
      if (signal.aborted) this.#attempts.fail(interrupted(signal, 'not_sent'))
      this.close()
      throw signal.aborted ? this.#error() : error
    }
  }

  async #nextChunk(): Promise<FileChunk | undefined> {
    for (;;) {
      const part = this.#part ?? (await this.#openPart())
      if (this.#hasRestarted) {
        this.#hasRestarted = false
        return { at: 0, bytes: new Uint8Array() }
      }
      const read = await part.read()
      if (read instanceof Uint8Array) {
        const chunk = this.#advance(read)
        if (chunk) return chunk
      } else if (this.#isComplete(read)) {
        this.close()
        return undefined
      } else {
        await this.#recover(read ?? CUT_SHORT)
      }
    }
  }

  async #openPart(): Promise<FilePart> {
    await requestFile(this.#request)
    if (this.#part === undefined) throw this.#error()
    return this.#part
  }

  /** The bytes of the part that the reader does not have yet. */
  #advance(bytes: Uint8Array<ArrayBuffer>): FileChunk | undefined {
    const at = this.#position
    const known = at - this.#partAt
    this.#partAt += bytes.byteLength
    this.#checkSize(this.#partAt)
    if (this.#partAt <= at) return undefined
    this.#position = this.#partAt
    if (this.#position > this.#furthest) {
      this.#furthest = this.#position
      this.#attempts.progress()
    }
    return { at, bytes: known === 0 ? bytes : bytes.subarray(known) }
  }

  #isComplete(end: Interruption | undefined): boolean {
    return this.size === undefined ? end === undefined : this.#partAt >= this.size
  }

  async #recover(failure: Failure): Promise<void> {
    this.#dropPart()
    this.#attempts.fail(failure)
    const delayMs = this.#takeRetry()
    if (delayMs === undefined) throw this.#error()
    await this.#attempts.pause(delayMs)
  }

  #takeRetry(): number | undefined {
    return this.#canGoOn() ? this.#attempts.takeRetry() : undefined
  }

  /** Without a validator, nothing could prove that more bytes belong to those that the reader has. */
  #canGoOn(): boolean {
    return this.#position === 0 || this.#mayRestart || this.#version?.validator !== undefined
  }

  /** Encoded bytes have other places than those of the file, and another length. */
  #headers(): Record<string, string> {
    const range = this.#version && this.#asksForRest() ? rangeHeaders(this.#version, this.#position) : {}
    return { 'accept-encoding': 'identity', ...range }
  }

  #asksForRest(): boolean {
    return this.#position > 0 && this.#canRange && this.#version?.hasRanges === true
  }

  /** Takes a response with which the reader can continue. */
  #admit(part: FilePart): Failure | undefined {
    // A hook may have forced a request although the last response was good.
    this.#dropPart()
    const { response } = part
    const failure =
      this.#asksForRest() && response.status !== 200 ? this.#admitRest(response) : this.#admitWhole(response)
    if (failure === undefined) this.#part = part
    return failure
  }

  #admitRest(response: Response): Failure | undefined {
    const { status } = response
    if (status !== 206 && status !== 416) return { kind: 'response', received: headOf(response) }
    this.#partAt = this.#position
    if (status === 206 && this.#version && continuesAt(response, this.#version, this.#position)) return undefined
    this.#canRange = false
    return { ...CUT_SHORT, reason: `HTTP ${status} to a range, without the bytes that come next` }
  }

  #admitWhole(response: Response): Failure | undefined {
    const { status } = response
    const received = headOf(response)
    if (status !== 200 && status !== 203) return { kind: 'response', received }
    const version = readVersion(response)
    const isSame = this.#version !== undefined && isSameFile(this.#version, version)
    if (!isSame && this.#position > 0 && !this.#mayRestart) {
      return {
        kind: 'response',
        received,
        problem: 'the host sends the whole file, and nothing proves that it is the same',
      }
    }
    if (!isSame) {
      this.#hasRestarted ||= this.#position > 0
      this.#position = 0
    }
    this.#partAt = 0
    this.#version = version
    return undefined
  }

  #checkSize(byteCount: number): void {
    if (byteCount > this.#download.maxBytes) throw tooLargeError(this.#fields())
  }

  #dropPart(): void {
    this.#part?.close()
    this.#part = undefined
  }

  #error(): ModelRunError {
    const { failure } = this.#attempts
    if (failure === undefined) throw new TypeError('A download ended without a response.')
    return fileError(failure, this.#fields())
  }

  #fields(): FailedDownload {
    return {
      download: this.#download,
      attempts: this.#attempts.list(),
      position: this.#position,
      size: this.size,
      canGoOn: this.#canGoOn(),
      retryAfterMs: this.#attempts.retryAfterMs(),
      isRetryable: this.#attempts.isRetryable(),
    }
  }
}
