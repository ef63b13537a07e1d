import type { Model } from 'modelrun'
import { isUrlParameter, namedFlag, type Parameter } from '../run/parameters.ts'

/** A call of a model on the command line, with the parameters that it needs. */
export function exampleCall(model: Model, parameters: readonly Parameter[]): string {
  const flags = neededValues(parameters).map(({ parameter, value }) => flagText(parameter, value))
  return ['modelrun run', shellWord(model.id), ...flags].join(' ')
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

/** A word as a POSIX shell takes it. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
