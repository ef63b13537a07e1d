import type { Model } from 'modelrun'
import { UsageError } from '../errors/usage-error.ts'
import type { Service } from '../service/create-client.ts'
import { cleanText } from '../terminal/clean-text.ts'
import { closestName } from '../terminal/closest-name.ts'

/** Reads a model. A mistyped id names the one that was probably meant. @throws UsageError when there is no such model */
export async function readModel(service: Pick<Service, 'client' | 'knownModels'>, id: string): Promise<Model> {
  const { isNotFoundError } = await import('modelrun')
  try {
    const model = await service.client.models.get(id)
    service.knownModels.add([model.id])
    return model
  } catch (error) {
    if (!isNotFoundError(error)) throw error
    const closest = closestName(id, await idsOf(service))
    const advice = closest === undefined ? '`modelrun models` lists all.' : `Did you mean ${cleanText(closest)}?`
    throw new UsageError(`There is no model ${id}. ${advice}`)
  }
}

/** None when the list cannot be read: the error is about the id. */
async function idsOf({ client, knownModels }: Pick<Service, 'client' | 'knownModels'>): Promise<string[]> {
  try {
    const { models } = await client.models.list({ limit: 100 })
    const ids = models.map(({ id }) => id)
    knownModels.add(ids)
    return ids
  } catch {
    return []
  }
}
