import { isRecord, itemsOf } from '../json.ts'
import { beyond } from './bounds.ts'
import { typeOf } from './sample-input.ts'
import type { ModelTarget } from './targets.ts'

/** The rules that a run can break: those of section 2.3, and that there is an input, an object (section 4.3). */
type Rule = 'required' | 'type' | 'enum' | 'minimum' | 'maximum' | 'input' | 'object'

/** An input that breaks one rule of one parameter, and what is wrong with it. */
export interface Violation {
  rule: Rule
  wrong: string
  input: unknown
}

/** So many are tried at most: each is a run that must not happen. */
const MOST = 20

type WrongValue = readonly [rule: Rule, what: string, value: unknown]

/** Values of another type than a parameter's. */
const OTHER_TYPE: Readonly<Record<string, readonly WrongValue[]>> = {
  string: [
    ['type', 'a number', 7],
    ['type', 'an object', { conformance: true }],
  ],
  integer: [
    ['type', 'a number in quotes', '2'],
    ['type', 'a fraction', 1.5],
  ],
  number: [['type', 'a number in quotes', '0.5']],
  boolean: [['type', 'a text', 'yes']],
}

/** What breaks a model's `input_schema` (section 2.3): every rule of every parameter, one at a time. */
export function violationsOf({ input, inputSchema }: Pick<ModelTarget, 'input' | 'inputSchema'>): Violation[] {
  const schema = isRecord(inputSchema) ? inputSchema : {}
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const missing = itemsOf(schema.required).filter((name) => typeof name === 'string' && Object.hasOwn(input, name))
  return [
    ...missing.map((name) => ({ rule: 'required' as const, wrong: `no ${name}`, input: without(input, name) })),
    ...(missing.length > 1 ? [{ rule: 'required' as const, wrong: 'an empty input', input: {} }] : []),
    ...Object.entries(properties).flatMap(([name, property]) =>
      wrongValues(isRecord(property) ? property : {}).map(([rule, what, value]) => ({
        rule,
        wrong: `${what} as ${name}`,
        input: { ...input, [name]: value },
      })),
    ),
  ].slice(0, MOST)
}

function wrongValues(property: Record<string, unknown>): WrongValue[] {
  const { enum: allowed, minimum, maximum } = property
  const values: WrongValue[] = (OTHER_TYPE[String(typeOf(property))] ?? []).filter(
    // What is one of a few texts is not tried as an object too.
    ([, , value]) => !itemsOf(allowed).includes(value) && (allowed === undefined || typeof value !== 'object'),
  )
  if (Array.isArray(allowed)) values.push(['enum', 'a value outside the enum', 'conformance-no-such-value'])
  if (typeof minimum === 'number') values.push(['minimum', 'a value below the minimum', beyond(minimum, -1)])
  if (typeof maximum === 'number') values.push(['maximum', 'a value above the maximum', beyond(maximum, 1)])
  return values.filter(([, , value]) => typeof value !== 'number' || Number.isFinite(value))
}

function without(input: Record<string, unknown>, left: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => name !== left))
}
