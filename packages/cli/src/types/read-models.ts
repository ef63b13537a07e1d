import { type Model, type ModelsResource, NotFoundError } from 'modelrun'

/** What is needed of a client. */
export interface ModelReader {
  models: Pick<ModelsResource, 'get' | 'list'>
}

const CONCURRENCY = 16

/** The ids of all models. */
export async function readIds(client: ModelReader): Promise<Set<string>> {
  const ids = new Set<string>()
  for await (const model of client.models.list({ limit: 100 })) ids.add(model.id)
  return ids
}

/** The models of some ids, with their schemas; undefined for an id that there is not. @throws What reading a model throws */
export async function readModels(client: ModelReader, ids: readonly string[]): Promise<Map<string, Model | undefined>> {
  const models = new Map<string, Model | undefined>(ids.map((id) => [id, undefined]))
  const waiting = models.keys()
  const work = async () => {
    // The workers share one iterator: each id is taken once.
    for (const id of waiting) models.set(id, await readModel(client, id))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return models
}

async function readModel(client: ModelReader, id: string): Promise<Model | undefined> {
  try {
    return await client.models.get(id)
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}
