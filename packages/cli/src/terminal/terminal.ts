import { redact } from './redact.ts'
import { fitText } from './text-width.ts'

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
  readonly env: Readonly<Record<string, string | undefined>>
}

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

const CODES: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
}

/** Standard output for data, standard error for people. No text that it writes has an API key in it. */
export class Terminal {
  /** Whether standard output is one JSON object a line. */
  json = false
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

  /** Columns of standard error. */
  get statusColumns(): number {
    return this.#options.stderr.columns || 80
  }

  /** A line of data for people, on standard output. Nothing with `--json`. */
  print(line: string): void {
    if (!this.json) this.#write(this.#options.stdout, `${line}\n`)
  }

  /** A line of data for programs, on standard output. Nothing without `--json`. */
  event(type: string, fields: object): void {
    if (this.json) this.#write(this.#options.stdout, `${JSON.stringify({ v: 1, type, ...fields })}\n`)
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
    this.#write(this.#options.stderr, `\r\x1b[2K${fitText(line, this.statusColumns - 1)}`)
  }

  /** Text with a style, where standard output shows styles. */
  style(style: Style, text: string): string {
    return this.#paint(style, text, this.#options.stdout)
  }

  /** Text with a style, where standard error shows styles. */
  styleSaid(style: Style, text: string): string {
    return this.#paint(style, text, this.#options.stderr)
  }

  #paint(style: Style, text: string, stream: TextStream): string {
    const { NO_COLOR, TERM } = this.#options.env
    if (!stream.isTTY || NO_COLOR || TERM === 'dumb') return text
    const [start, end] = CODES[style]
    return `\x1b[${start}m${text}\x1b[${end}m`
  }

  #write(stream: TextStream, text: string): void {
    stream.write(redact(text, this.apiKey))
  }
}
