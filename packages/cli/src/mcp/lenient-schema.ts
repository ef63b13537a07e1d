import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { isRecord, tryParseJson } from '@modelrun/kit'

const NUMBERS: readonly string[] = ['max_credits', 'wait_s', 'limit', 'offset']

/**
 * A schema that also takes what some hosts send: objects as JSON text, numbers as text, and `null` for what was left out. What
 * hosts and agents are shown is the schema itself.
 */
export function lenientSchema<Input>(
  schema: StandardSchemaWithJSON<Input, Input>,
): StandardSchemaWithJSON<Input, Input> {
  const standard = schema['~standard']
  return { '~standard': { ...standard, validate: (value) => standard.validate(readArguments(value)) } }
}

function readArguments(value: unknown): unknown {
  const given = typeof value === 'string' ? tryParseJson(value) : value
  if (!isRecord(given)) return given
  const present = Object.entries(given).filter(([, member]) => member !== null)
  return Object.fromEntries(present.map(([name, member]) => [name, readArgument(name, member)]))
}

function readArgument(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (name === 'input') return tryParseJson(value) ?? value
  return NUMBERS.includes(name) && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
}
