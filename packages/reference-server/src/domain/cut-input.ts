import { hashText } from '../shared/random.ts'

type Input = Readonly<Record<string, unknown>>

/** A parameter that is longer than this, such as an image as a data URI, can be cut. */
const MAX_LENGTH = 1_024

/** Length of the start that stays, which leaves room for the note behind it. */
const STORED_LENGTH = MAX_LENGTH - 64

/** How many characters of an input can be cut; 0 for nearly all. */
export function cuttableLength(input: Input): number {
  return Object.values(input).reduce<number>((sum, value) => sum + (isLong(value) ? textOf(value).length : 0), 0)
}

/** An input with only the start of long texts, and a note in place of long arrays and objects. */
export function cutInput(input: Input): Input {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, isLong(value) ? cut(value) : value]))
}

/** A long text cut to its start, its length and a hash; a short one as it is. A text that was cut is not cut again. */
export function cutText(text: string): string {
  if (text.length <= MAX_LENGTH) return text
  return `${detached(text, STORED_LENGTH)}… (${text.length} characters, hash ${hashText(text) >>> 0})`
}

function isLong(value: unknown): boolean {
  return textOf(value).length > MAX_LENGTH
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : ''
}

function cut(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value)
  const note = `… (${textOf(value).length} characters of JSON)`
  return Array.isArray(value) ? [note] : { cut: note }
}

/** The start of a text in at most so many bytes. A slice would keep all of the text in memory. */
export function detached(text: string, maxBytes: number): string {
  const bytes = new Uint8Array(maxBytes)
  const { written } = new TextEncoder().encodeInto(text, bytes)
  return new TextDecoder().decode(bytes.subarray(0, written))
}
