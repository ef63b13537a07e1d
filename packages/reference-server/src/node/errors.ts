import { cleanText } from '@modelrun/kit'

/** Something is wrong with the command line, or with a file that it names; the message is one line for people. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The port cannot be bound. The message says why and what to do; `cause` is the system's error. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

/** Writes a line to standard error, with the name of the command. */
export function warn(line: string): void {
  process.stderr.write(`modelrun-server: ${cleanText(line)}\n`)
}

/** Writes a line to standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
