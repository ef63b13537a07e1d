/**
 * What the specification leaves open, as data.
 *
 * @module
 */
import * as z from 'zod/mini'
import { FIXED } from './assumptions/fixed.ts'
import type { OpenQuestion } from './assumptions/open-question.ts'
import { REJECTIONS, type RejectionKind, type Rejections } from './assumptions/rejections.ts'
import { SWITCHES } from './assumptions/switches.ts'
import { defineSchema } from './define-schema.ts'

export type { RejectionKind, Rejections }

/** The assumptions that have a setting of their own. */
type Switches = { [Name in keyof typeof SWITCHES]: z.output<(typeof SWITCHES)[Name]['setting']> }

/**
 * The switches for behaviour that the specification leaves open. Code that works with every setting works with
 * whatever the real service does.
 */
export type Assumptions = Switches & {
  /** How requests are rejected (section 7). */
  rejections: Rejections
}

/** One of the checks that `checkOrder` orders. */
export type CheckName = Assumptions['checkOrder'][number]

/** Some of the switches; the others keep their defaults. */
export type AssumptionOptions = { [Name in keyof Switches]?: Switches[Name] | undefined } & {
  /** Some of the rejections. */
  rejections?: { [Kind in RejectionKind]?: Rejections[Kind] | undefined } | undefined
}

/** What each switch accepts, and its setting unless another is chosen. */
export const assumptionsSchema: z.ZodMiniType<Assumptions> = /* @__PURE__ */ defineSchema(() => {
  const settings = Object.entries(SWITCHES).map(([name, { setting }]) => [name, setting] as const)
  const rejections = z.prefault(z.strictObject(REJECTIONS), {})
  const schema: z.ZodMiniType = z.strictObject({ ...Object.fromEntries(settings), rejections })
  return schema as z.ZodMiniType<Assumptions> // the type is made from the same two tables
})

/** The setting of every switch of the reference server unless its option `assumptions` changes it. */
export const DEFAULT_ASSUMPTIONS: Readonly<Assumptions> = /* @__PURE__ */ defineSchema(() =>
  z.parse(assumptionsSchema, {}),
)

/** All checks in order, where those that are named take each other's places and the others keep theirs. */
export function orderOfChecks(named: readonly CheckName[]): readonly CheckName[] {
  const left = [...new Set(named)]
  return DEFAULT_ASSUMPTIONS.checkOrder.map((name) => (named.includes(name) ? (left.shift() ?? name) : name))
}

/** A question that the specification leaves open, and the choice of the reference server. */
export type AssumptionNote = OpenQuestion & {
  /** Its name: that of its switch, where it has one. */
  name: string
  /** The option that switches to an alternative, where there is one. */
  switch?: keyof Switches | undefined
}

/** Everything that the reference server does although the specification does not define it. */
export const ASSUMPTION_NOTES: readonly AssumptionNote[] = /* @__PURE__ */ defineSchema(() => {
  const names = Object.keys(SWITCHES) as (keyof Switches)[] // the type says that these are its keys
  const switches = names.map((name) => {
    const { setting: _, ...question } = SWITCHES[name]
    return { name, ...question, switch: name }
  })
  const fixed = Object.entries(FIXED).map(([name, question]) => ({ name, ...question }))
  return [...switches, ...fixed].toSorted((one, other) => one.section.localeCompare(other.section))
})
