import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { styleText } from 'node:util'
import { replaceApiKeys, stringIn } from '@modelrun/kit'
import { cleanText, fitText, safeJson, type TextWidth, tableLines } from './text.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** A stream of the process, as far as the command needs it. */
interface TextStream {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

export interface TerminalOptions {
  readonly stdin: { readonly isTTY?: boolean | undefined }
  readonly stdout: TextStream
  readonly stderr: TextStream
  readonly env: Env
}

/** A part of a line with a style, which is shown where the stream shows styles. */
interface StyledText {
  readonly style: 'bold' | 'dim' | 'red' | 'green' | 'yellow'
  readonly text: string
}

/** A line, or its parts. Line breaks and control characters in it become spaces, also in text of the service. */
export type Line = string | readonly (string | StyledText)[]

/**
 * Standard output for data, standard error for people. No text that it writes has an API key in it, or a character that controls
 * the terminal.
 */
export class Terminal {
  json = false
  apiKey: string | undefined
  readonly #options: TerminalOptions
  #status = ''
  /** Every character has one column, until it is known how wide they are. */
  #widthOf: TextWidth = (text) => [...text].length

  constructor(options: TerminalOptions) {
    this.#options = options
  }

  /** Whether a person can be asked: standard input and error are a terminal. */
  get isInteractive(): boolean {
    return this.#options.stdin.isTTY === true && this.drawsStatus
  }

  get drawsStatus(): boolean {
    return this.#options.stderr.isTTY === true && this.#options.env.TERM !== 'dumb'
  }

  /** Columns of standard output; `Infinity` when it is not a terminal: programs get whole lines. */
  get columns(): number {
    const { isTTY, columns } = this.#options.stdout
    return isTTY ? columns || 80 : Number.POSITIVE_INFINITY
  }

  /** A line of data for people, on standard output. Nothing with `--json`. */
  print(line: Line): void {
    if (!this.json) this.#write(this.#options.stdout, `${this.#paint(line, this.#options.stdout)}\n`)
  }

  /** Lines of data for people. The first row is the heading. */
  async printTable(rows: readonly (readonly string[])[]): Promise<void> {
    await this.loadWidths()
    const [heading = '', ...lines] = tableLines(rows, this.columns, this.#widthOf)
    for (const line of [[{ style: 'bold', text: heading } as const], ...lines]) this.print(line)
  }

  /** Loads how wide the characters of all scripts are. It takes longer than a small command. */
  async loadWidths(): Promise<void> {
    this.#widthOf = (await import('string-width')).default
  }

  /** A line of data for programs, on standard output. Nothing without `--json`. */
  event(type: string, fields: object): void {
    if (this.json) this.#write(this.#options.stdout, `${safeJson({ v: 1, type, ...fields })}\n`)
  }

  /** Help, on standard output. Foreign texts in it are clean. */
  printHelp(text: string): void {
    this.#write(this.#options.stdout, text)
  }

  /** As it is, on standard output: the key of a server that this process has started. */
  printSecret(text: string): void {
    this.#options.stdout.write(`${text}\n`)
  }

  /** A line for people, on standard error, and lines below it. */
  say(line: Line, details: readonly string[] = []): void {
    const status = this.#status
    this.status('')
    for (const one of [line, ...details])
      this.#write(this.#options.stderr, `${this.#paint(one, this.#options.stderr)}\n`)
    this.status(status)
  }

  /** Draws the status line again; an empty text removes it. Nothing where standard error is not a terminal. */
  status(line: string): void {
    if (!this.drawsStatus || line === this.#status) return
    this.#status = line
    // The last column stays free: some terminals wrap there.
    const fitted = fitText(cleanText(line), (this.#options.stderr.columns || 80) - 1, this.#widthOf)
    this.#write(this.#options.stderr, `\r\x1b[2K${fitted}`)
  }

  /** Takes API keys out of a text: those that look like one, and the one that is used, whatever it looks like. */
  redact(text: string): string {
    const known = this.apiKey ? text.replaceAll(this.apiKey, '[API key]') : text
    return replaceApiKeys(known, () => '[API key]')
  }

  #paint(line: Line, stream: TextStream): string {
    const { NO_COLOR, TERM } = this.#options.env
    const hasStyles = Boolean(stream.isTTY && !NO_COLOR && TERM !== 'dumb')
    const painted = [line].flat().map((part) => {
      if (typeof part === 'string') return cleanText(part)
      const text = cleanText(part.text)
      return hasStyles ? styleText(part.style, text, { validateStream: false }) : text
    })
    return painted.join('')
  }

  #write(stream: TextStream, text: string): void {
    stream.write(this.redact(text))
  }
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100
const LINE_EVERY_MS = 60_000

/** Gets each HTTP attempt of the client. */
const ATTEMPTS = 'modelrun:attempt'

/**
 * Draws a line with the time that has passed, and why the service does not respond, again and again. Where standard
 * error is not a terminal, it is a line now and then.
 */
export class StatusLine {
  readonly #terminal: Terminal
  readonly #startedAt = performance.now()
  readonly #timer: NodeJS.Timeout
  readonly #text: (elapsedMs: number) => string
  #frame = 0
  /** Why the newest attempt did not succeed. */
  #problem: string | undefined
  readonly #note = (attempt: unknown) => {
    this.#problem = stringIn(attempt, 'reason')
  }

  /** @param everyMs of a line where no status is drawn; without it, of one that says a problem */
  constructor(terminal: Terminal, text: (elapsedMs: number) => string, everyMs?: number) {
    this.#terminal = terminal
    this.#text = text
    subscribe(ATTEMPTS, this.#note)
    const isDrawn = terminal.drawsStatus
    const say = () => {
      if (everyMs !== undefined || this.#problem !== undefined) terminal.say(this.#line())
    }
    const draw = () => this.#draw()
    this.#timer = (isDrawn ? setInterval(draw, FRAME_MS) : setInterval(say, everyMs ?? LINE_EVERY_MS)).unref()
    if (!isDrawn) return
    void terminal.loadWidths()
    draw()
  }

  end(): void {
    unsubscribe(ATTEMPTS, this.#note)
    clearInterval(this.#timer)
    this.#terminal.status('')
  }

  #line(): string {
    const text = this.#text(performance.now() - this.#startedAt)
    return this.#problem === undefined ? text : `${text} · last request: ${this.#problem}`
  }

  #draw(): void {
    this.#frame = (this.#frame + 1) % FRAMES.length
    this.#terminal.status(`${FRAMES[this.#frame]} ${this.#line()}`)
  }
}
