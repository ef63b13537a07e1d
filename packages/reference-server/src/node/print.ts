/** Writes a line to standard error, with the name of the command. */
export function warn(line: string): void {
  process.stderr.write(`modelrun-server: ${line}\n`)
}

/** Writes a line to standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
