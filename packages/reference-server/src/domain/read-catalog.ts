import { modelSchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import { LATEST_TIME_MS } from '../clock/clock.ts'
import { MAX_NESTING, nestingProblem, nestsDeeperThan, parseShape } from '../json.ts'
import { type CatalogModel, DEFAULT_CATALOG } from './catalog.ts'
import { scriptedOutcomeSchema } from './scripted-outcome.ts'

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
    outcomes: z.optional(z.readonly(z.array(scriptedOutcomeSchema))),
  }),
)

/** @throws TypeError that says what is wrong with the option `catalog` */
export function readCatalog(catalog: readonly CatalogModel[] = DEFAULT_CATALOG): readonly CatalogModel[] {
  if (nestsDeeperThan(MAX_NESTING, catalog)) throw new TypeError(`The option catalog ${nestingProblem()}.`)
  const checked = parseShape(catalogSchema, catalog)
  if (!checked.ok) throw new TypeError(`The option catalog is not right. ${checked.message}`)
  const twice = findTwice(catalog.map(({ id }) => id))
  if (twice !== undefined) throw new TypeError(`The option catalog is not right. Two models have the id ${twice}.`)
  return catalog
}

function findTwice(ids: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return ids.find((id) => seen.size === seen.add(id).size)
}
