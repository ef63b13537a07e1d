/**
 * What the specification leaves open, as data.
 *
 * @module
 */
import * as z from 'zod/mini'
import { FIXED, type OpenQuestion } from './assumptions/fixed.ts'
import { type Assumptions, type Rejection, SETTINGS } from './assumptions/settings.ts'
import { defineSchema } from './define-schema.ts'

export type { Assumptions, Rejection }

/** Some of the settings; the others keep their defaults. */
export type AssumptionOptions = { [Name in keyof Assumptions]?: Assumptions[Name] | undefined }

const NAMES = /* @__PURE__ */ Object.keys(SETTINGS) as (keyof Assumptions)[] // the type says that these are its keys

/** The values of each setting, with its default. */
export const assumptionsSchema: z.ZodMiniType<Assumptions> = /* @__PURE__ */ defineSchema(() => {
  const schema: z.ZodMiniType = z.strictObject(Object.fromEntries(NAMES.map((name) => [name, SETTINGS[name].schema])))
  return schema as z.ZodMiniType<Assumptions> // the table has the type of each setting
})

/** The setting of every assumption unless the option `assumptions` changes it. */
export const DEFAULT_ASSUMPTIONS: Readonly<Assumptions> = /* @__PURE__ */ defineSchema(() =>
  z.parse(assumptionsSchema, {}),
)

/** A question that the specification leaves open, and the choice of the reference server. */
export type AssumptionNote = OpenQuestion & {
  /** The option that changes the choice, where there is one. */
  setting?: keyof Assumptions | undefined
  /** The values of the option, for people. */
  values?: string | undefined
}

/** Everything that the reference server does although the specification does not define it. */
export const ASSUMPTION_NOTES: readonly AssumptionNote[] = /* @__PURE__ */ defineSchema(() => {
  const settings = NAMES.map((setting) => {
    const { schema: _, ...note } = SETTINGS[setting]
    return { ...note, setting }
  })
  return [...settings, ...FIXED].toSorted((one, other) => one.section.localeCompare(other.section))
})
