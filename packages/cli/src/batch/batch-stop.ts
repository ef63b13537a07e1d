import { once } from 'node:events'
import { systemClock, withTimeLimit } from '@modelrun/kit'
import type { CliContext } from '../context.ts'
import { DiskError, diskProblem, InterruptedError, isClientError, isLocked, PausedError } from '../errors.ts'
import { Interruption } from '../run/interruption.ts'
import { countText } from '../terminal/text.ts'
import { type Batch, type BatchStops, openBatch } from './open-batch.ts'

/** How long a store that fails may take to keep what was just sent. */
const LAST_WRITES_MS = 5_000

const MAKE_SPACE =
  'Their results are not lost. Make space, then the same command again fetches them, and sends only the other rows.'
const LOCKED =
  'Another program holds the state of the batch, such as a database viewer with changes that are not saved. Close it. ' +
  'The same command again continues with the batch.'
const IN_ACCOUNT = 'Runs that were sent continue, and are charged: their jobs are in the account.'

/** Ends a batch before its last row: at Ctrl-C, when the key does not suffice, and when the disk is full. */
export class BatchStop implements BatchStops {
  readonly #own = new AbortController()
  readonly #interruption: Interruption
  readonly #context: CliContext
  #batch: Batch | undefined
  #said: Promise<void> | undefined
  #gone: string | undefined
  readonly signal: AbortSignal

  constructor(context: CliContext) {
    this.#interruption = new Interruption(context)
    this.#context = context
    const { signal } = this.#interruption
    this.signal = AbortSignal.any([this.#own.signal, signal])
    const say = () => {
      this.#said = this.#sayStopping()
    }
    signal.addEventListener('abort', say, { once: true })
  }

  /** Opens a batch for this work, and closes it at the end. */
  async work<Result>(open: Parameters<typeof openBatch>[0], work: (batch: Batch) => Promise<Result>): Promise<Result> {
    try {
      this.#batch = await openBatch(open, this)
      return await work(this.#batch)
    } catch (error) {
      throw await this.#explain(error)
    } finally {
      // What is being sent may take long: until then a second Ctrl-C ends the process.
      await this.#close().finally(() => this.#interruption.release())
    }
  }

  onPause = (reason: Error): void => {
    // An outage of the service passes.
    if (isClientError(reason)) this.#own.abort(reason)
  }

  onStoreError = (error: unknown): void => {
    // The store repeats all else by itself.
    if (isClientError(error)) this.#gone ??= error.message
    else if (diskProblem(error) === undefined) return
    this.#batch?.freeReserve()
    this.#own.abort(error)
  }

  async #explain(error: unknown): Promise<unknown> {
    await this.#said
    if (this.#gone !== undefined) return new DiskError(`${this.#gone} ${IN_ACCOUNT}`)
    if (isLocked(error)) return new DiskError(LOCKED)
    const problem = diskProblem(this.#own.signal.reason) ?? diskProblem(error)
    if (problem !== undefined) {
      this.onStoreError(error)
      const remedy = problem.includes('full') ? MAKE_SPACE : IN_ACCOUNT
      return new DiskError(`${problem}. No more rows are sent${await this.#sentText()}. ${remedy}`)
    }
    if (this.#interruption.signal.aborted && !(error instanceof InterruptedError)) {
      return new InterruptedError(
        'stopped. Runs that were sent continue. The same command again continues with the batch.',
      )
    }
    return this.#own.signal.aborted ? new PausedError(this.#own.signal.reason) : error
  }

  /** Waits until what is being sent is stored, so that its state is known. A store that fails is not waited for. */
  async settle(): Promise<void> {
    if (this.#isStoreBroken()) return
    // `work` throws what this stop does.
    const stopped = Promise.resolve(this.#batch?.runs.stop()).catch(() => {})
    await Promise.race([stopped, once(this.#own.signal, 'abort')])
  }

  /** Closes the batch, when what was sent is stored. A store that fails is not waited for without end. */
  async #close(): Promise<void> {
    const closed = Promise.resolve(this.#batch?.runs.stop()).then(() => this.#batch?.engine.close())
    if (!this.#isStoreBroken()) return await closed
    await withTimeLimit(() => closed, { clock: systemClock, limitMs: LAST_WRITES_MS, name: 'The store' }).catch(
      () => {},
    )
    // What still repeats its writes would keep the process.
    setTimeout(() => process.exit(), 1_000).unref()
  }

  #isStoreBroken(): boolean {
    return this.#gone !== undefined || diskProblem(this.#own.signal.reason) !== undefined
  }

  async #sayStopping(): Promise<void> {
    const progress = await this.#batch?.runs.progress().catch(() => undefined)
    if (this.#batch === undefined) return
    const running = progress === undefined ? '' : ` ${countText(progress.running, 'run')} under way.`
    this.#context.terminal.say(`Stopping: no more rows are sent.${running} Ctrl-C again ends now.`)
  }

  async #sentText(): Promise<string> {
    const progress = await this.#batch?.runs.progress().catch(() => undefined)
    return progress === undefined ? '' : `; ${countText(progress.total - progress.waiting, 'run')} sent so far`
  }
}
