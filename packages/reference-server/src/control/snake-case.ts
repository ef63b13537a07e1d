import type { JournalEntry } from '../history/journal/journal-entry.ts'

// The control API writes its members in snake_case, as the service does. Times in milliseconds end in `_ms`.

/** An entry of the journal. */
export function entryJson({ at, ...rest }: JournalEntry): object {
  return { at_ms: at, ...withSnakeCase(rest) }
}

/** Only its own members: what they hold may be of the user, such as the input of a run. */
export function withSnakeCase(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), member]))
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
