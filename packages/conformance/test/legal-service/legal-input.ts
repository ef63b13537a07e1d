import { isRecord } from '../../src/json.ts'

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
}

/** What is wrong with an input by its model's schema. Types hold even where the schema does not show them. */
export function inputProblem(schema: Record<string, unknown>, input: Record<string, unknown>) {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  if (required.some((name) => input[String(name)] === undefined)) return 'missing'
  const names = Object.keys(input)
  if (names.some((name) => isRecord(properties[name]) && !fits(name, properties[name], input[name]))) return 'wrong'
  return names.some((name) => properties[name] === undefined) ? 'unknown' : undefined
}

function fits(name: string, property: Record<string, unknown>, value: unknown): boolean {
  const types = [property.type ?? TYPES[name]].flat().map(String)
  if (!types.some((type) => IS_TYPE[type]?.(value))) return false
  if (Array.isArray(property.enum) && !property.enum.includes(value)) return false
  if (typeof property.minimum === 'number' && Number(value) < property.minimum) return false
  return !(typeof property.maximum === 'number' && Number(value) > property.maximum)
}
