import { createHash } from 'node:crypto'
import type { Run } from '@modelrun/durable'
import { stableJson } from '@modelrun/kit'
import type { RunInput } from '../run/input.ts'
import type { InputRules } from '../run/parameters.ts'

export function hashOf(content: string, length: number): string {
  return createHash('sha256').update(content).digest('hex').slice(0, length)
}

/** Keys of rows never have this character. */
const SEPARATOR = '\u001f'

/** The key of the run that a row has, or will have. The first attempt has the key of the row. */
export function runKey({ run, key, attempt }: { run?: Run | undefined; key: string; attempt: number }): string {
  return run?.key ?? (attempt === 1 ? key : `${key}${SEPARATOR}${attempt}`)
}

export function readAttempt(name: string): { key: string; attempt: number } {
  const [key = name, attempt = '1'] = name.split(SEPARATOR)
  return { key, attempt: Number(attempt) }
}

/** Whether the key of a row could be taken for that of an attempt, here or in `@modelrun/durable`. */
export function looksLikeAttempt(key: string): boolean {
  return key.includes(SEPARATOR) || key.includes('\u001e')
}

/**
 * What a run asks for, as a string: the same for every spelling of it. The order of the members does not matter, and a parameter
 * at its default is one that is left out. The service may change a default: keys are made of the input as it is.
 */
export function rowContent(input: Readonly<RunInput>, { properties }: InputRules['schema']): string {
  const given = Object.entries(input).flatMap(([name, value]) => {
    const byDefault = Object.hasOwn(properties, name) ? properties[name]?.default : undefined
    const isGiven = value !== undefined && (byDefault === undefined || stableJson(value) !== stableJson(byDefault))
    return isGiven ? [[name, value]] : []
  })
  // Its lines as `withPlainLines` has them, in JSON.
  const json = stableJson(Object.fromEntries(given))
  return json.replace(/\\(r(\\n)?|.)/g, (sign, name: string) => (name.startsWith('r') ? '\\n' : sign))
}

/** Programs that save a table again change the ends of lines in cells. */
export function withPlainLines(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}
