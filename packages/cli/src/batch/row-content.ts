import { isRecord } from '@modelrun/kit'
import type { InputRules, RunInput } from '../run/check-input.ts'

/**
 * What a run asks for, as a text: the same for every spelling of it. The order of the members does not matter, and a parameter
 * at its default is one that is left out, so that the text stays when the model gets a new parameter with a default.
 */
export function rowContent(input: Readonly<RunInput>, { properties }: InputRules['schema']): string {
  const given = Object.entries(input).filter(([name, value]) => {
    const byDefault = Object.hasOwn(properties, name) ? properties[name]?.default : undefined
    return value !== undefined && (byDefault === undefined || sorted(value) !== sorted(byDefault))
  })
  return sorted(Object.fromEntries(given))
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    return isRecord(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member
  })
}
