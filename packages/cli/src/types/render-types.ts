import type { Model } from 'modelrun'
import { rangeText } from '../run/parameters.ts'
import { priceText } from '../terminal/text.ts'
import { asciiJson, commentLine, commentText, memberName, quote } from './foreign-text.ts'
import { MODEL_MARK, type Parameter, readParameters, TITLE } from './typed-model.ts'

/**
 * The file of types. The same models give the same bytes.
 *
 * @param isOpen Whether literal ids that the file does not have are allowed in the program
 */
export function renderTypes(models: readonly Model[], { isOpen }: { isOpen: boolean }): string {
  const sorted = models.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const settings = isOpen ? '' : '\n  interface ModelInputsSettings {\n    onlyListedModels: true\n  }\n'
  return `${TITLE}
/* eslint-disable */
export {}

declare module 'modelrun' {
  interface ModelInputs {
${sorted.map(modelText).join('')}  }
${settings}}
`
}

function modelText(model: Model): string {
  const { id, pricing, input_schema } = model
  return `    ${MODEL_MARK}${asciiJson({ id, credits: pricing.credits_per_run })}
${docComment(modelDoc(model), '    ')}    ${memberName(id)}: {
${readParameters(input_schema).map(parameterText).join('')}    }
`
}

function modelDoc({ name, description, category, provider, status, pricing }: Model): string[] {
  const state = status === 'active' ? '' : ` Status: ${commentLine(status)}.`
  return [
    commentLine(name),
    commentText(description),
    `${commentLine(category)} by ${commentLine(provider)}, ${priceText(pricing.credits_per_run)} per run.${state}`,
  ]
}

function parameterText(parameter: Parameter): string {
  const type = typeText(parameter)
  const name = memberName(parameter.name)
  const member = parameter.isRequired
    ? `${name}: ${type}`
    : `${name}?: ${type === 'unknown' ? type : `${type} | undefined`}`
  return `${docComment(parameterDoc(parameter), '      ')}      ${member}\n`
}

function parameterDoc({ description = '', minimum, maximum, default: fallback }: Parameter): string[] {
  const value = typeof fallback === 'string' ? quote(fallback) : JSON.stringify(fallback)
  const tag = value === undefined ? '' : `@default ${commentLine(value)}`
  return [commentText(description), rangeText(minimum, maximum).replace(/.$/, '$&.'), tag]
}

function docComment(paragraphs: readonly string[], indent: string): string {
  const lines = paragraphs
    .filter((paragraph) => paragraph !== '')
    .join('\n\n')
    .split('\n')
  if (lines.length === 1) return lines[0] === '' ? '' : `${indent}/** ${lines[0]} */\n`
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd())
  return `${indent}/**\n${body.join('\n')}\n${indent} */\n`
}

/** The most whole numbers that are written out, such as `1 | 2 | 3 | 4`. */
const MAX_STEPS = 12

const TYPES = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
  ['array', 'readonly unknown[]'],
  ['object', 'object'],
])

function typeText({ type = 'any value', enum: allowed = [], minimum, maximum }: Parameter): string {
  const types = [type].flat().toSorted()
  const all = types.flatMap((one) => typesOf(one, minimum, maximum))
  const parts = new Set(allowed.length > 0 ? allowed.toSorted(byValue).map(literalType) : all)
  return parts.has('unknown') ? 'unknown' : [...parts].join(' | ')
}

function byValue(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [first, second] = [a, b].map((value) => [typeof value !== 'number', JSON.stringify(value)].join(' '))
  if (first === second) return 0
  return (first as string) < (second as string) ? -1 : 1
}

function typesOf(type: string, minimum = Number.NaN, maximum = Number.NaN): string[] {
  if (type === 'integer') return wholeNumbers(Math.ceil(minimum), Math.floor(maximum)) ?? ['number']
  return [TYPES.get(type) ?? 'unknown']
}

function wholeNumbers(first: number, last: number): string[] | undefined {
  const count = last - first + 1
  // False for NaN too.
  if (!(count >= 1 && count <= MAX_STEPS && Number.isSafeInteger(first) && Number.isSafeInteger(last))) return undefined
  return Array.from({ length: count }, (_, step) => String(first + step))
}

function literalType(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'number'
  if (Array.isArray(value)) return 'readonly unknown[]'
  return typeof value === 'object' && value !== null ? 'object' : String(value)
}
