import { memberOf } from '@modelrun/kit'
import type { InputProperty, Model } from 'modelrun'
import { cleanText } from '../terminal/text.ts'

export interface Parameter {
  readonly name: string
  /** `--num-images` for `num_images`; undefined when it has none: then only `--input` can have it. */
  readonly flag: string | undefined
  readonly property: InputProperty
  readonly isRequired: boolean
  /** JSON types that it takes; empty when the schema names none. */
  readonly types: readonly string[]
}

export interface InputRules {
  schema: Model['input_schema']
  parameters: readonly Parameter[]
}

/** What can be an option of a command line. Other names of a service are not flags. */
const FLAG_NAME = /^[A-Za-z][A-Za-z0-9]*([_.-][A-Za-z0-9]+)*$/

/** The parameters of a model. @param taken flags of the command itself, such as `--out`, which keep their meaning */
export function readParameters({ input_schema }: Model, taken: readonly string[]): Parameter[] {
  const used = new Set(taken)
  const required = new Set(input_schema.required ?? [])
  return Object.entries(input_schema.properties).map(([name, property]) => {
    const flag = flagFor(name, property, used)
    return { name, flag, property, isRequired: required.has(name), types: [property.type ?? []].flat() }
  })
}

function flagFor(name: string, property: InputProperty, used: Set<string>): string | undefined {
  const flag = `--${name.replaceAll('_', '-')}`
  // `--no-x` is the switch of a parameter `x`.
  const flags = isSwitch(property) ? [flag, `--no-${flag.slice(2)}`] : [flag]
  if (!FLAG_NAME.test(name) || flag.startsWith('--no-') || flags.some((one) => used.has(one))) return undefined
  for (const one of flags) used.add(one)
  return flag
}

export function isSwitch({ type }: InputProperty): boolean {
  return type === 'boolean'
}

export function namedFlag({ flag, name }: Pick<Parameter, 'flag' | 'name'>): string {
  return flag ?? name
}

const URL_NAME = /(^|_)(url|uri)s?$/i

/** Whether a parameter takes the URL of a file (section 2.3). */
export function isUrlParameter({ name, property }: Pick<Parameter, 'name' | 'property'>): boolean {
  return URL_NAME.test(name) || memberOf(property, 'format') === 'uri'
}

/** What stands behind a flag, such as `integer`. Brackets of a service would change what the flag takes. */
export function typeLabel(parameter: Parameter): string {
  if (isUrlParameter(parameter)) return 'url or file'
  const [type = 'value'] = parameter.types
  return type.replace(/[^a-z]/gi, '') || 'value'
}

export function boundsText({ property, isRequired, types }: Parameter): string {
  const { enum: allowed, minimum, maximum } = property
  const parts = [
    isRequired && property.default === undefined ? 'required' : '',
    allowed === undefined ? '' : `one of ${allowed.map((value) => cleanText(String(value))).join(', ')}`,
    rangeText(minimum, maximum),
    types.includes('array') ? 'repeatable' : '',
    isSwitch(property) ? 'also --no-…' : '',
    property.default === undefined ? '' : `default: ${cleanText(JSON.stringify(property.default))}`,
  ]
  return parts.filter((part) => part !== '').join('; ')
}

/** Bounds of a number, such as `1 to 4`; empty without one. */
export function rangeText(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  if (minimum !== undefined) return `at least ${minimum}`
  return maximum === undefined ? '' : `at most ${maximum}`
}
