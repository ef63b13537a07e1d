import { type CliContext, EXIT } from '../context.ts'

/** Ctrl-C, and a closed terminal or service manager. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The signals that end a command, while a run or a batch is under way. The second one ends the process at once. */
export class Interruption {
  readonly #controller = new AbortController()
  readonly #context: CliContext
  readonly #listener = (signal: string) => this.#press(signal)
  #first: string | undefined
  /** Is said at the first signal. */
  note = ''

  constructor(context: CliContext) {
    this.#context = context
    for (const name of SIGNALS) process.on(name, this.#listener)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** For a command that continues afterwards: the end of any other one is that of its process. */
  release(): void {
    for (const name of SIGNALS) process.off(name, this.#listener)
  }

  #press(signal: string): void {
    if (this.#first !== undefined) {
      // A service manager sends SIGTERM and SIGHUP together: that is once.
      if (signal !== this.#first && signal !== 'SIGINT') return
      this.#context.terminal.status('')
      process.exit(EXIT.interrupted)
    }
    this.#first = signal
    if (this.note !== '') this.#context.terminal.say(this.note)
    this.#controller.abort()
  }
}
