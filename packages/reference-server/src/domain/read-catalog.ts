import { modelSchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import { LATEST_TIME_MS } from '../clock/clock.ts'
import { fits, MAX_NESTING, nestingProblem, nestsDeeperThan } from '../shared/parse-shape.ts'
import { hasOneEnd, scriptedOutcomeSchema } from './scripted-outcome.ts'

const catalogSchema = z.array(
  z.looseObject({
    ...modelSchema.shape,
    id: z.string().check(
      z.minLength(1),
      z.refine((id) => id !== '.' && id !== '..'),
    ),
    pricing: z.looseObject({ credits_per_run: z.int().check(z.nonnegative()) }),
    output_kind: z.enum(['image', 'video', 'audio']),
    latency_ms: z.number().check(z.nonnegative(), z.maximum(LATEST_TIME_MS)),
    outcomes: z.optional(z.readonly(z.array(z.omit(scriptedOutcomeSchema, { when: true }).check(hasOneEnd)))),
  }),
)

export function catalogProblem(catalog: unknown): string | undefined {
  if (nestsDeeperThan(MAX_NESTING, catalog)) return nestingProblem()
  const problem = fits(catalogSchema)(catalog)
  if (problem !== undefined || !Array.isArray(catalog)) return problem
  const twice = findTwice(catalog.map(({ id }) => id))
  return twice === undefined ? undefined : `has two models with the id ${twice}`
}

function findTwice(ids: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return ids.find((id) => seen.size === seen.add(id).size)
}
