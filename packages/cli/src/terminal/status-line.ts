import type { Terminal } from './terminal.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100

/** Draws a line with the time that has passed, again and again. Draws nothing where standard error is not a terminal. */
export class StatusLine {
  readonly #terminal: Terminal
  readonly #startedAt = performance.now()
  readonly #timer: NodeJS.Timeout | undefined
  readonly #text: (elapsedMs: number) => string
  #frame = 0

  constructor(terminal: Terminal, text: (elapsedMs: number) => string) {
    this.#terminal = terminal
    this.#text = text
    if (terminal.drawsStatus) this.#timer = setInterval(() => this.#draw(), FRAME_MS).unref()
    this.#draw()
  }

  /** Removes the line. */
  end(): void {
    clearInterval(this.#timer)
    this.#terminal.status('')
  }

  #draw(): void {
    this.#frame = (this.#frame + 1) % FRAMES.length
    this.#terminal.status(`${FRAMES[this.#frame]} ${this.#text(performance.now() - this.#startedAt)}`)
  }
}
