import type { Source } from './find-ids.ts'
import type { ModelReader } from './read-models.ts'

/** What `modelrun types` is asked for. */
export interface TypesOptions {
  /** The models. Empty: those that the program uses. */
  ids: readonly string[]
  /** Every model of the catalog, instead of `ids`. */
  all: boolean
  /** The file. Undefined: `modelrun.models.d.ts`, and with `json` the standard output. */
  out: string | undefined
  /** Compares the file with the catalog, and writes nothing. */
  check: boolean
  /** The schemas as data, instead of types. */
  json: boolean
  /** Allows literal ids that the file does not have: a typing mistake in an id is not an error then. */
  open: boolean
}

/** What it works on. */
export interface TypesIo {
  client: ModelReader
  /** The sources of the program, to find its models in. */
  readSources(): Iterable<Source> | AsyncIterable<Source>
  /** The text of a file; undefined when there is none. */
  readFile(path: string): Promise<string | undefined>
  write(path: string, text: string): Promise<void>
  stdout(text: string): void
  stderr(text: string): void
}
