import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** Which rows have their files. A row that is not here is saved again, which changes nothing. */
export class SavedRows {
  readonly #path: string
  readonly #files = new Map<string, string[]>()

  constructor(path: string) {
    this.#path = path
    if (!existsSync(path)) return
    for (const line of readFileSync(path, 'utf8').split('\n')) this.#read(line)
  }

  /** The files of a row, if all of them are there. */
  filesOf(key: string): readonly string[] | undefined {
    const files = this.#files.get(key)
    return files?.every((file) => existsSync(file)) ? files : undefined
  }

  add(key: string, files: string[]): void {
    this.#files.set(key, files)
    // The line break comes first: a process that was killed may have left half a line.
    appendFileSync(this.#path, `\n${JSON.stringify({ key, files })}`)
  }

  #read(line: string): void {
    if (!line.endsWith('}')) return
    try {
      const { key, files }: { key: string; files: string[] } = JSON.parse(line) // written by `add`
      this.#files.set(key, files)
    } catch {
      // Half a line: its row is saved again.
    }
  }
}
