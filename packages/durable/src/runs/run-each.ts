import { type AnyInput, checkEach, hasMethods, needs, sleep, systemClock, type TaskState } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import { createReads, READ_EVERY_MS, type Reads, readRun } from './read-runs.ts'
import { keyOf, type Run } from './run-types.ts'
import type { RunsContext } from './runs-context.ts'

/** An item that becomes a run of the batch. */
export interface RunItem {
  /** Name of the run, up to 300 characters. */
  readonly key: string
  /** Parameters of the model. */
  readonly input: AnyInput
  /** Highest price, in credits, at which it is sent from when it is taken. Until then an earlier limit of its run counts. Default: any price. */
  readonly maxCredits?: number | undefined
  /** A misspelling. */
  readonly maxCredit?: never
  /** A misspelling. */
  readonly max_credits?: never
}

/** Items have members of their own, but none that was meant to limit the price. @throws ConfigurationError */
function checkItem(item: RunItem): void {
  const wrong = Object.keys(item ?? {}).find((name) => name !== 'maxCredits' && /^max_?credits?$/i.test(name))
  if (wrong === undefined) return
  throw new ConfigurationError({
    message: `An item has \`${wrong}\`: did you mean \`maxCredits\`? Nothing was sent for it.`,
  })
}

/** Cursors of the lists of ended runs. */
export type ReadCursors = Partial<Record<'outcomes' | 'submit' | 'poll', string>>

interface Loop<Item> {
  add(item: RunItem): Promise<void>
  onAdded(): void
  items: Iterable<Item> | AsyncIterable<Item>
  concurrency: number
  /** Where to start reading; updated while reading. */
  cursors: ReadCursors
}

const ITEMS = needs(
  "a list of keys and inputs, such as `[{ key: 'poster-1', input: { prompt } }]`",
  (value) => hasMethods(value, Symbol.asyncIterator) || hasMethods(value, Symbol.iterator),
)

/** Ends of runs that are read at once: outputs may be large. */
const PAGE = 20
const ADDS_AT_ONCE = 100
const CHECK_EVERY = 25
const LISTS: readonly (readonly [keyof ReadCursors, TaskState])[] = [
  ['outcomes', 'waiting'],
  ['submit', 'dead'],
  ['poll', 'dead'],
]

/** Adds items, and yields each with its run once any process has ended it, or it is unknown. */
export class RunEach<Item extends RunItem> {
  readonly #context: RunsContext
  readonly #loop: Loop<Item>
  readonly #source: Iterator<Item> | AsyncIterator<Item>
  readonly #pending = new Map<string, Item[]>()
  readonly #ended: { item: Item; run: Run }[] = []
  /** Aborts when the loop has ended or failed: then no further item is taken or added. */
  readonly #left = new AbortController()
  readonly #repeat: Reads
  #waiting: (() => void)[] = []
  #failure: { error: unknown } | undefined
  #isTaken = false
  #adding = 0
  #open = 0

  constructor(context: RunsContext, loop: Loop<Item>) {
    const { items } = loop
    checkEach('runs.runEach', { items }, { items: ITEMS })
    this.#context = context
    this.#loop = loop
    this.#source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
    this.#repeat = createReads(context, this.#left.signal)
  }

  async *run(): AsyncGenerator<{ item: Item; run: Run }, void, undefined> {
    void this.#takeItems()
    void this.#readEnds()
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure.error
        const ended = this.#ended.shift()
        if (ended !== undefined) {
          yield ended
          this.#open -= 1
          this.#notify()
        } else if (this.#isTaken && this.#open === 0) return
        else await this.#change()
      }
    } finally {
      this.#left.abort()
      this.#notify()
      // Not awaited: a source that hangs must not block the end of the loop.
      Promise.resolve(this.#source.return?.()).catch(() => {})
    }
  }

  /** Aborts when the loop ends or fails, also while its consumer is busy with an item. */
  get signal(): AbortSignal {
    return this.#left.signal
  }

  /** Ends the loop with an error: at once, whatever has ended and was not taken yet. */
  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#left.abort()
    this.#notify()
  }

  async #takeItems(): Promise<void> {
    try {
      while (!this.#left.signal.aborted) {
        if (this.#open >= this.#loop.concurrency || this.#adding >= ADDS_AT_ONCE) {
          await this.#change()
          continue
        }
        const { done, value: item } = await this.#source.next()
        if (done) break
        if (this.#left.signal.aborted) return
        this.#open += 1
        void this.#register(item)
      }
      this.#isTaken = true
      this.#notify()
    } catch (error) {
      this.fail(error)
    }
  }

  async #register(item: Item): Promise<void> {
    this.#adding += 1
    // A source may use its object again for the next item.
    const taken = { ...item }
    const { key } = taken
    try {
      checkItem(taken)
      await this.#repeat(() => this.#loop.add(taken))
      // Before `#settle`: the reader of the lists then finds the item, or `#settle` reads an end that came earlier.
      this.#pending.set(key, [...(this.#pending.get(key) ?? []), item])
      await this.#settle(key)
    } catch (error) {
      this.fail(error)
    }
    this.#adding -= 1
    if (this.#adding === 0 && !this.#left.signal.aborted) this.#loop.onAdded()
    this.#notify()
  }

  async #readEnds(): Promise<void> {
    const { signal } = this.#left
    try {
      for (let round = 1; !signal.aborted; round += 1) {
        const counts = await Promise.all(LISTS.map(([name, state]) => this.#readPage(name, state)))
        if (Math.max(...counts) < PAGE) await sleep(systemClock, READ_EVERY_MS, signal)
        // A run that another process has deleted is in no list.
        const [oldest] = this.#pending.keys()
        if (round % CHECK_EVERY === 0 && oldest !== undefined) await this.#settle(oldest)
      }
    } catch (error) {
      this.fail(error)
    }
  }

  async #readPage(name: keyof ReadCursors, state: TaskState): Promise<number> {
    const { engine, queues } = this.#context
    const { cursors } = this.#loop
    const page = { limit: PAGE, after: cursors[name] }
    const records = await this.#repeat(() => engine.list(queues[name], state, page))
    for (const { id } of records) await this.#settle(keyOf(id))
    const last = records.at(-1)
    if (last !== undefined) cursors[name] = last.cursor
    return records.length
  }

  async #settle(key: string): Promise<void> {
    if (!this.#pending.has(key)) return
    const run = await this.#repeat(() => readRun(key, this.#context))
    if (run === undefined)
      throw new ConfigurationError({ message: `The run ${key} was deleted while a loop waits for it.` })
    if (run.state === 'waiting' || run.state === 'running') return
    const items = this.#pending.get(key) ?? []
    this.#pending.delete(key)
    for (const item of items) this.#ended.push({ item, run })
    this.#notify()
  }

  #notify(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }

  /** Resolves at the next `#notify`. */
  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
