import type { Model } from '@modelrun/contract'
import { eachOf } from '@modelrun/kit'
import { NotFoundError } from '../client/errors/api-errors.ts'
import type { Clock } from '../shared/clock.ts'
import type { ProxyClient } from './proxy-options.ts'

/** How long the details of a model are cached for pages that show them. */
const MAX_AGE_MS = 300_000

/** How many models are read at once for a list. */
const CONCURRENCY = 4

/** Lists read each model at most once in five minutes, however many ask for it. */
export function createCatalog(client: ProxyClient, ids: readonly string[], clock: Clock) {
  const entries = new Map<string, { reading: Promise<Model>; readAt: number }>()

  /** @throws ModelRunError when the model cannot be read */
  function read(id: string): Promise<Model> {
    const known = entries.get(id)
    return known !== undefined && clock.now() - known.readAt < MAX_AGE_MS ? known.reading : readAgain(id)
  }

  /** Reads it again: the price that is checked is the one that is paid. @throws As `read` */
  function readAgain(id: string): Promise<Model> {
    const reading = client.models
      .get(id)
      .withResponse()
      .then(({ data }) => data)
    const entry = { reading, readAt: clock.now() }
    entries.set(id, entry)
    // A failure is not kept.
    reading.catch(() => entries.get(id) === entry && entries.delete(id))
    return reading
  }

  /** Without those that the service does not have (any more). @throws As `read` */
  async function readAll(): Promise<Model[]> {
    const found = new Map<string, Model>()
    await eachOf(ids, CONCURRENCY, async (id) => {
      const model = await read(id).catch(orMissing)
      if (model !== undefined) found.set(id, model)
    })
    return ids.flatMap((id) => found.get(id) ?? [])
  }

  return { read, readAgain, readAll }
}

function orMissing(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error
}
