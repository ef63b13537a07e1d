import type { Model } from 'modelrun'
import { schemaHash } from 'modelrun/models'

/**
 * The models as data, for forms and for checks of input: `version` 1 is an object of models by id, each with its texts,
 * `pricing`, `hash` and the `input_schema` as the service sends it.
 */
export async function modelsJson(models: readonly Model[], indent?: number): Promise<string> {
  const entries = await Promise.all(
    models.map(async (model) => [model.id, { ...model, hash: await schemaHash(model.input_schema) }] as const),
  )
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${JSON.stringify({ version: 1, models: Object.fromEntries(sorted) }, undefined, indent)}\n`
}
