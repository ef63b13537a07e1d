import { at, isRecord } from '../../packages/conformance/src/json.ts'
import type { LegalChoices } from './legal-choices.ts'

const IS_TYPE: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
}

const TYPES: Record<string, string> = {
  prompt: 'string',
  image_size: 'string',
  num_images: 'integer',
  guidance: 'number',
  tiled: 'boolean',
  seed: 'integer',
}

/** Whether an input is wrong by its model's schema. Types hold even where the schema does not show them. */
export function isWrongInput(
  schema: Record<string, unknown>,
  input: Record<string, unknown>,
  { seedBounds }: LegalChoices,
): boolean {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  if (required.some((name) => input[String(name)] === undefined)) return true
  // A double cannot hold the maximum of 64 bits: it is one more.
  if (seedBounds !== 'rounded' && input.seed !== undefined && input.seed === at(properties, '/seed/maximum'))
    return true
  return Object.entries(input).some(
    ([name, value]) => isRecord(properties[name]) && !fits(name, properties[name], value),
  )
}

function fits(name: string, property: Record<string, unknown>, value: unknown): boolean {
  const types = [property.type ?? TYPES[name]].flat().map(String)
  if (!types.some((type) => IS_TYPE[type]?.(value))) return false
  if (Array.isArray(property.enum) && !property.enum.includes(value)) return false
  if (typeof property.minimum === 'number' && Number(value) < property.minimum) return false
  return !(typeof property.maximum === 'number' && Number(value) > property.maximum)
}
