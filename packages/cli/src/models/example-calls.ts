import type { Model } from 'modelrun'
import { isUrlParameter, type Parameter } from '../run/parameters.ts'
import { shellWord } from '../terminal/text.ts'

/** A call of a model on the command line, with the parameters that it needs. */
export function exampleCall(model: Model, parameters: readonly Parameter[]): string {
  const needed = parameters.filter(({ isRequired, property }) => isRequired && property.default === undefined)
  const hasFlags = needed.every(({ flag }) => flag !== undefined)
  const flags = needed.map((parameter) => `${parameter.flag} ${shellWord(exampleText(parameter))}`)
  return ['modelrun run', shellWord(model.id), ...(hasFlags ? flags : ['--input input.json'])].join(' ')
}

const TEXTS: Readonly<Record<string, string>> = { boolean: 'true', array: '[]', object: '{}' }

function exampleText(parameter: Parameter): string {
  const { property, types } = parameter
  const [first] = property.enum ?? []
  if (first !== undefined) return typeof first === 'string' ? first : JSON.stringify(first)
  if (isUrlParameter(parameter)) return 'https://example.com/photo.png'
  const [type = ''] = types
  if (/^(integer|number)$/.test(type)) return String(property.minimum ?? property.maximum ?? 1)
  return TEXTS[type] ?? 'a red fox'
}
