import { at, isRecord, itemsOf } from '../json.ts'

// Inputs of runs, right and wrong, made from the schema of a model (section 2.3).

export interface ModelTarget {
  modelId: string
  input: Record<string, unknown>
  creditsPerRun: number
  inputSchema: unknown
}

type Schemed = Pick<ModelTarget, 'input' | 'inputSchema'>

/** The description of a parameter. */
export type Property = Record<string, unknown>

const SAMPLE_TEXT = 'a lighthouse at dawn'

/**
 * Makes the smallest input that fits a model's `input_schema` (section 2.3): each mandatory parameter with its default,
 * its first allowed value, its minimum, or a plain value of its type.
 *
 * @returns `undefined` when a parameter needs something that cannot be made up, such as the URL of an image
 */
export function sampleInput(inputSchema: unknown): Record<string, unknown> | undefined {
  const properties = new Map(propertiesOf(inputSchema))
  const entries = requiredOf(inputSchema).map((name) => [name, sampleValue(name, properties.get(name))] as const)
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries)
}

export function propertiesOf(inputSchema: unknown): [string, Property][] {
  const properties = Object.entries(at(inputSchema, '/properties') ?? {})
  return properties.filter((entry): entry is [string, Property] => isRecord(entry[1]))
}

function requiredOf(inputSchema: unknown): string[] {
  return itemsOf(at(inputSchema, '/required')).filter((name) => typeof name === 'string')
}

function sampleValue(name: string, property: Property | undefined): unknown {
  if (property === undefined) return undefined
  const known = property.default ?? itemsOf(property.enum)[0]
  if (known !== undefined) return known
  const type = typeOf(property)
  if (type === 'integer' || type === 'number') return exact(property.minimum) ?? 1
  if (type === 'boolean') return false
  return type === 'string' && !isUrl(name, property) ? SAMPLE_TEXT : undefined
}

/** JSON Schema has one type, or a list of them. */
function typeOf({ type }: Property): unknown {
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type
}

function isUrl(name: string, { description }: Property): boolean {
  return /ur[li]s?$/i.test(name) || /\bURL\b/i.test(String(description))
}

/** The given input, or with the default or the last allowed value, or the minimum or maximum, of each parameter that has one. */
export function edgeInput({ input, inputSchema }: Schemed, edge: 'smallest' | 'largest' | undefined) {
  if (edge === undefined) return input
  const values = propertiesOf(inputSchema).map(([name, property]) => {
    const allowed = itemsOf(property.enum)
    const first = allowed.includes(property.default) ? property.default : allowed[0]
    return edge === 'smallest'
      ? [name, first ?? exact(property.minimum)]
      : [name, allowed.at(-1) ?? exact(property.maximum)]
  })
  return { ...input, ...Object.fromEntries(values.filter(([, value]) => value !== undefined)) }
}

/** The rules that a run can break: those of section 2.3, that there is an input, an object, and such a model (section 4.3). */
type Rule = 'required' | 'type' | 'enum' | 'minimum' | 'maximum' | 'input' | 'object' | 'model'

/** An input that breaks one rule of one parameter, and what is wrong with it. */
export interface Violation {
  rule: Rule
  wrong: string
  input: unknown
}

/** So many are tried at most: each is a run that must not happen. */
const MOST = 20

type WrongValue = readonly [rule: Rule, value: unknown]

/** Values of another type than a parameter's. */
const OTHER_TYPE: Readonly<Record<string, readonly unknown[]>> = {
  string: [7, { conformance: true }],
  integer: ['2', 1.5],
  number: ['0.5'],
  boolean: ['yes'],
}

/** What breaks a model's `input_schema` (section 2.3): every rule of every parameter, one at a time. */
export function violationsOf({ input, inputSchema }: Schemed): Violation[] {
  const missing = requiredOf(inputSchema).filter((name) => Object.hasOwn(input, name))
  const wrongOf = ([name, property]: [string, Property]) =>
    wrongValues(property).map(([rule, value]) => {
      return { rule, wrong: `${name} is ${JSON.stringify(value)}`, input: { ...input, [name]: value } }
    })
  return [
    ...missing.map((parameter) => {
      return { rule: 'required' as const, wrong: `no ${parameter}`, input: without(input, parameter) }
    }),
    ...(missing.length > 1 ? [{ rule: 'required' as const, wrong: 'an empty input', input: {} }] : []),
    ...propertiesOf(inputSchema).flatMap(wrongOf),
  ].slice(0, MOST)
}

function wrongValues(property: Property): WrongValue[] {
  const { enum: allowed } = property
  const [minimum, maximum] = [exact(property.minimum), exact(property.maximum)]
  const values = (OTHER_TYPE[String(typeOf(property))] ?? []).filter(
    // What is one of a few texts is not tried as an object too.
    (value) => !itemsOf(allowed).includes(value) && (allowed === undefined || typeof value !== 'object'),
  )
  return [
    ...values.map((value): WrongValue => ['type', value]),
    ...(Array.isArray(allowed) ? [['enum', 'conformance-no-such-value'] as const] : []),
    ...(minimum === undefined ? [] : [['minimum', minimum - 1] as const]),
    ...(maximum === undefined ? [] : [['maximum', maximum + 1] as const]),
  ]
}

function without(input: Record<string, unknown>, left: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => name !== left))
}

/**
 * A bound that differs from the integers beside it: a double rounds the bounds of 64-bit integers, so that the bound itself may be
 * outside, and one more may be the same number.
 */
function exact(bound: unknown): number | undefined {
  return typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined
}
