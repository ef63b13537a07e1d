import { closestName } from '@modelrun/kit'
import type { Model, ModelRun } from 'modelrun'
import { isClientError, UsageError } from '../errors.ts'

/** Reads a model. A mistyped id names the one that was probably meant. @throws UsageError when there is no such model */
export async function readModel(client: ModelRun, id: string): Promise<Model> {
  try {
    return await client.models.get(id)
  } catch (error) {
    if (!isClientError(error) || error.status !== 404) throw error
    // The error is about the id, also when the list cannot be read.
    const { models } = await client.models.list({ limit: 100 }).catch(() => ({ models: [] }))
    const ids = models.map((model) => model.id)
    const closest = closestName(id, ids)
    const advice = closest === undefined ? '`modelrun models` lists all.' : `Did you mean ${closest}?`
    throw new UsageError(`There is no model ${id}. ${advice}`)
  }
}
