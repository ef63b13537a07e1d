import { closestName } from '@modelrun/kit'
import type { Model, ModelRun } from 'modelrun'
import { UsageError } from '../errors/usage-error.ts'
import { cleanText } from '../terminal/clean-text.ts'

/** Reads a model. A mistyped id names the one that was probably meant. @throws UsageError when there is no such model */
export async function readModel(client: ModelRun, id: string): Promise<Model> {
  const { NotFoundError } = await import('modelrun')
  try {
    return await client.models.get(id)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    const closest = closestName(id, await idsOf(client))
    const advice = closest === undefined ? '`modelrun models` lists all.' : `Did you mean ${cleanText(closest)}?`
    throw new UsageError(`There is no model ${id}. ${advice}`)
  }
}

/** None when the list cannot be read: the error is about the id. */
async function idsOf(client: ModelRun): Promise<string[]> {
  try {
    const { models } = await client.models.list({ limit: 100 })
    return models.map(({ id }) => id)
  } catch {
    return []
  }
}
