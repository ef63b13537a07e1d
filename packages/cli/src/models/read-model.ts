import { closestName } from '@modelrun/kit'
import type { Model, ModelRun } from 'modelrun'
import { isClientError, RejectedRunError, UsageError } from '../errors.ts'

/** Reads a model. A mistyped id names the one that was probably meant. @throws UsageError when there is no such model */
export async function readModel(client: Pick<ModelRun, 'models'>, id: string): Promise<Model> {
  const model = await findModel(client, id)
  if (model !== undefined) return model
  // The error is about the id, also when the list cannot be read.
  const { models } = await client.models.list({ limit: 100 }).catch(() => ({ models: [] }))
  const ids = models.map((one) => one.id)
  const closest = closestName(id, ids)
  const advice = closest === undefined ? '`modelrun models` lists all.' : `Did you mean ${closest}?`
  throw new UsageError(`There is no model ${id}. ${advice}`)
}

export async function findModel(client: Pick<ModelRun, 'models'>, id: string): Promise<Model | undefined> {
  try {
    return await client.models.get(id)
  } catch (error) {
    if (isClientError(error) && error.status === 404) return undefined
    throw error
  }
}

/** The price of a run, in credits. @throws RejectedRunError for what is not a number of credits */
export function priceOf({ id, pricing: { credits_per_run: price } }: Model): number {
  if (Number.isFinite(price) && price >= 0) return price
  throw new RejectedRunError(`The price of ${id} is not a number of credits. Nothing was sent.`)
}
