import { replaceApiKeys } from '@modelrun/kit'
import type { Selection } from './select.ts'
import { cleanText, fitText, tableLines } from './text.ts'

/** Variables of the process. */
export type Env = Readonly<Record<string, string | undefined>>

/** A stream of the process, as far as the command needs it. */
interface TextStream {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** The streams and the environment of a process. */
export interface TerminalOptions {
  readonly stdin: { readonly isTTY?: boolean | undefined }
  readonly stdout: TextStream
  readonly stderr: TextStream
  readonly env: Env
}

const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const

type Style = keyof typeof STYLES

/** Standard output for data, standard error for people. No text that it writes has an API key in it. */
export class Terminal {
  /** Whether standard output is one JSON object a line. */
  json = false
  /** The part of each object that is printed. */
  selection: Selection | undefined
  /** Never printed. */
  apiKey: string | undefined
  readonly #options: TerminalOptions
  #status = ''

  constructor(options: TerminalOptions) {
    this.#options = options
  }

  /** Whether a person can be asked: standard input and error are a terminal. */
  get isInteractive(): boolean {
    return this.#options.stdin.isTTY === true && this.drawsStatus
  }

  /** Whether standard error can draw a line again and again. */
  get drawsStatus(): boolean {
    return this.#options.stderr.isTTY === true && this.#options.env.TERM !== 'dumb'
  }

  /** Columns of standard output; `Infinity` when it is not a terminal: programs get whole lines. */
  get columns(): number {
    const { isTTY, columns } = this.#options.stdout
    return isTTY ? columns || 80 : Number.POSITIVE_INFINITY
  }

  /** Whether standard output shows styles. */
  get hasStyles(): boolean {
    return this.#hasStyles(this.#options.stdout)
  }

  /** A line of data for people, on standard output. Nothing with `--json`. */
  print(line: string): void {
    if (!this.json) this.write(`${line}\n`)
  }

  /** Lines of data for people. The first row is the heading. */
  printTable(rows: readonly (readonly string[])[]): void {
    const [heading = '', ...lines] = tableLines(rows, this.columns)
    for (const line of [this.style('bold', heading), ...lines]) this.print(line)
  }

  /** A line of data for programs, on standard output; with `--select` a line for each part. Nothing without `--json`. */
  event(type: string, fields: object): void {
    if (!this.json) return
    const value = { v: 1, type, ...fields }
    const parts = this.selection === undefined ? [value] : this.selection.of(JSON.parse(JSON.stringify(value)))
    for (const part of parts) this.write(`${typeof part === 'string' ? this.#shown(part) : JSON.stringify(part)}\n`)
  }

  /** Text of the command itself, such as its help, on standard output. */
  write(text: string): void {
    this.#write(this.#options.stdout, text)
  }

  /** As it is, on standard output: the key of a server that this process has started. */
  printSecret(text: string): void {
    this.#options.stdout.write(`${text}\n`)
  }

  /** A line for people, on standard error. */
  say(line: string): void {
    const status = this.#status
    this.status('')
    this.#write(this.#options.stderr, `${line}\n`)
    this.status(status)
  }

  /** Draws the status line again; an empty text removes it. Nothing where standard error is not a terminal. */
  status(line: string): void {
    if (!this.drawsStatus || line === this.#status) return
    this.#status = line
    // The last column stays free: some terminals wrap there.
    this.#write(this.#options.stderr, `\r\x1b[2K${fitText(line, (this.#options.stderr.columns || 80) - 1)}`)
  }

  /** Text with a style, where standard output shows styles. */
  style(style: Style, text: string): string {
    return this.#paint(style, text, this.#options.stdout)
  }

  /** Text with a style, where standard error shows styles. */
  styleSaid(style: Style, text: string): string {
    return this.#paint(style, text, this.#options.stderr)
  }

  /** Takes API keys out of a text: those that look like one, and the one that is used, whatever it looks like. */
  redact(text: string): string {
    const known = this.apiKey ? text.replaceAll(this.apiKey, '[API key]') : text
    return replaceApiKeys(known, () => '[API key]')
  }

  /** Programs get the string as it is. In a terminal it could move the cursor. */
  #shown(text: string): string {
    return this.#options.stdout.isTTY ? cleanText(text) : text
  }

  #hasStyles(stream: TextStream): boolean {
    const { NO_COLOR, TERM } = this.#options.env
    return Boolean(stream.isTTY && !NO_COLOR && TERM !== 'dumb')
  }

  #paint(style: Style, text: string, stream: TextStream): string {
    const [start, end] = STYLES[style]
    return this.#hasStyles(stream) ? `\x1b[${start}m${text}\x1b[${end}m` : text
  }

  #write(stream: TextStream, text: string): void {
    stream.write(this.redact(text))
  }
}

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
