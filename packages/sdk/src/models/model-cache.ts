import type { Model } from '@modelrun/contract'
import type { Core } from '../core.ts'
import type { CallContext } from '../http/operation.ts'
import { getModelOperation } from './model-operations.ts'

/** How long a model's price and input schema are believed. */
const MAX_AGE_MS = 300_000

/** The models whose details this client has read, for checks before a run. */
export interface ModelCache {
  /** A model, from memory when it was read in the last five minutes. @throws ModelRunError */
  read(core: Core, id: string, context: CallContext): Promise<Model>
}

export function createModelCache(): ModelCache {
  const entries = new Map<string, { model: Model; readAt: number }>()
  return {
    read: async (core, id, context) => {
      const now = core.options.clock.now()
      const known = entries.get(id)
      if (known !== undefined && now - known.readAt < MAX_AGE_MS) return known.model
      const { data: model } = await core.transport.call(getModelOperation(id), context)
      entries.set(id, { model, readAt: now })
      return model
    },
  }
}
