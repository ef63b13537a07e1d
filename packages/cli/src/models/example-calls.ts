import type { Model } from 'modelrun'
import { isUrlParameter, namedFlag, type Parameter } from '../run/parameters.ts'

/** A call of a model as a program and on the command line, with the parameters that it needs. */
export function exampleCalls(model: Model, parameters: readonly Parameter[]): { sdk: string; cli: string } {
  const values = neededValues(parameters)
  const members = values.map(({ parameter, value }) => `${propertyName(parameter.name)}: ${literal(value)}`)
  const flags = values.map(({ parameter, value }) => flagText(parameter, value))
  const input = members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
  return {
    sdk: `const result = await client.run(${literal(model.id)}, ${input})`,
    cli: ['modelrun run', shellWord(model.id), ...flags].join(' '),
  }
}

/** The least input that a model takes. */
export function exampleInput(parameters: readonly Parameter[]): Record<string, unknown> {
  return Object.fromEntries(neededValues(parameters).map(({ parameter, value }) => [parameter.name, value]))
}

function neededValues(parameters: readonly Parameter[]): { parameter: Parameter; value: unknown }[] {
  const needed = parameters.filter(({ isRequired, property }) => isRequired && property.default === undefined)
  return needed.map((parameter) => ({ parameter, value: exampleValue(parameter) }))
}

function exampleValue(parameter: Parameter): unknown {
  const { property, types } = parameter
  const [first] = property.enum ?? []
  if (first !== undefined) return first
  if (isUrlParameter(parameter)) return 'https://example.com/photo.png'
  switch (types[0]) {
    case 'integer':
    case 'number':
      return property.minimum ?? property.maximum ?? 1
    case 'boolean':
      return true
    case 'array':
      return []
    case 'object':
      return {}
    default:
      return 'a red fox'
  }
}

function flagText(parameter: Parameter, value: unknown): string {
  const text = shellWord(typeof value === 'string' ? value : JSON.stringify(value))
  const flag = namedFlag(parameter)
  return flag.endsWith('=') ? `--param ${shellWord(`${parameter.name}=`)}${text}` : `${flag} ${text}`
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
}

function literal(value: unknown): string {
  const json = JSON.stringify(value)
  return typeof value === 'string' && !/['\\\p{Cc}]/u.test(value) ? `'${value}'` : json
}

/** A word as a POSIX shell takes it. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
