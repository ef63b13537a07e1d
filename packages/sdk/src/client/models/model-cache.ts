import type { Model } from '@modelrun/contract'
import { abortable, type Clock } from '../../shared/clock.ts'
import type { CallContext } from '../http/operation.ts'
import type { Transport } from '../http/transport.ts'
import { loadPart } from '../load-part.ts'

/** How long a model's price and input schema are used. */
const MAX_AGE_MS = 300_000

/** The models whose details this client has read in the last five minutes. */
export interface ModelCache {
  /** A model, from memory when it is there. Reads of the same model share one request. @throws ModelRunError */
  read(id: string, context: CallContext): Promise<Model>
  /** Stores a model that another call has read, and returns it. */
  store(id: string, model: Model): Model
  /** The price of one run, in credits, when it is in memory. */
  priceOf(id: string | undefined): number | undefined
}

export function createModelCache({ clock, transport }: { clock: Clock; transport: Transport }): ModelCache {
  const entries = new Map<string, { model: Model; readAt: number }>()
  const requests = new Map<string, Promise<Model>>()

  function known(id: string): Model | undefined {
    const entry = entries.get(id)
    return entry !== undefined && clock.now() - entry.readAt < MAX_AGE_MS ? entry.model : undefined
  }

  function store(id: string, model: Model): Model {
    entries.set(id, { model, readAt: clock.now() })
    return model
  }

  async function fetchModel(id: string, context: CallContext): Promise<Model> {
    const { getModelOperation } = await loadPart(() => import('./model-operations.ts'))
    const { data } = await transport.call(getModelOperation(id), context)
    return store(id, data)
  }

  async function request(id: string, context: CallContext): Promise<Model> {
    const work = fetchModel(id, context)
    if (requests.has(id)) return await work
    requests.set(id, work)
    return await work.finally(() => requests.delete(id))
  }

  return {
    read: async (id, context) => {
      const shared = known(id) ?? requests.get(id)
      // A failure is not shared: its error describes the call of another caller.
      const model = shared && (await abortable(Promise.resolve(shared), context.scope.signal).catch(() => undefined))
      return model ?? (await request(id, context))
    },
    store,
    priceOf: (id) => (id === undefined ? undefined : known(id)?.pricing.credits_per_run),
  }
}
