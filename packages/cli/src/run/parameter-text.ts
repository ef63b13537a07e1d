import { cleanText } from '../terminal/clean-text.ts'
import { isSwitch, isUrlParameter, type Parameter } from './parameter.ts'

/** What stands behind a flag, such as `integer`. Brackets of a service would change what the flag takes. */
export function typeLabel(parameter: Parameter): string {
  if (isUrlParameter(parameter)) return 'url or file'
  const [type = 'value'] = parameter.types
  return type.replace(/[^a-z]/gi, '') || 'value'
}

/** The description of a parameter with its bounds, on one line. */
export function describeParameter(parameter: Parameter): string {
  const description = cleanText(parameter.property.description ?? '')
  return [description, `(${boundsText(parameter)})`].filter((part) => part !== '' && part !== '()').join(' ')
}

/** What a parameter takes: values, bounds, default. */
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

function rangeText(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  if (minimum !== undefined) return `at least ${minimum}`
  return maximum === undefined ? '' : `at most ${maximum}`
}
