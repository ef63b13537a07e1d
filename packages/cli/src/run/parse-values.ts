import { memberOf } from '@modelrun/kit'
import type { InputProperty } from 'modelrun'
import { UsageError } from '../errors/usage-error.ts'
import { namedFlag, type Parameter } from './parameter.ts'
import { allowedValue, parseValue } from './parse-value.ts'

/** Makes the value of a parameter of all texts that were given for it. An array takes several. @throws UsageError */
export function parseValues(parameter: Parameter, texts: readonly string[]): unknown {
  const [first = '', second] = texts
  const isAllowed = second === undefined && allowedValue(parameter.property, first) !== undefined
  if (parameter.types.includes('array') && !isAllowed) return arrayOf(parameter, texts)
  if (second === undefined) return parseValue(parameter, first)
  throw new UsageError(`${namedFlag(parameter)} is given ${texts.length} times. Give it once.`)
}

function arrayOf(parameter: Parameter, texts: readonly string[]): unknown[] {
  const item = { ...parameter, types: itemTypes(parameter.property) }
  return texts.flatMap((text) => {
    if (!text.trimStart().startsWith('[')) return [parseValue(item, text)]
    const list = parseValue({ ...parameter, types: ['array'] }, text)
    return Array.isArray(list) ? list : []
  })
}

/** Section 2.3 does not name `items`; JSON Schema does. */
function itemTypes(property: InputProperty): readonly string[] {
  const type = memberOf(memberOf(property, 'items'), 'type')
  return typeof type === 'string' ? [type] : ['string']
}
