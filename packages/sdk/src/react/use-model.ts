import type { Model } from '@modelrun/contract'
import { useEffect, useState } from 'react'
import type { ModelRun } from '../client/client.ts'

/** A model, once it is there; or why it cannot be read. */
export interface ReadModel {
  model?: Model | undefined
  error?: unknown
}

/** Reads the details of a model by its id. */
export function useModel(client: ModelRun, model: string | Model): ReadModel {
  const [read, setRead] = useState<ReadModel & { id: string }>()
  useEffect(() => {
    if (typeof model !== 'string') return undefined
    const leaving = new AbortController()
    const { signal } = leaving
    client.models.get(model, { signal }).then(
      (found) => setRead({ id: model, model: found }),
      (error: unknown) => signal.aborted || setRead({ id: model, error }),
    )
    return () => leaving.abort()
  }, [client, model])
  if (typeof model !== 'string') return { model }
  return read?.id === model ? read : {}
}
