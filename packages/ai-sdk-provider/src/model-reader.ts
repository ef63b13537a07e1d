import { NoSuchModelError } from '@ai-sdk/provider'
import { type Model, type ModelRun, NotFoundError } from 'modelrun'
import { MAX_TIMER_MS } from './abort.ts'
import { reject, runError, servicePath, throwAiError } from './errors.ts'

export type ModelKind = 'imageModel' | 'videoModel' | 'speechModel'

const CATEGORIES: Readonly<Record<string, ModelKind>> = {
  'text-to-image': 'imageModel',
  'image-to-image': 'imageModel',
  'text-to-video': 'videoModel',
  'text-to-speech': 'speechModel',
  'audio-generation': 'speechModel',
}

/** How long the description of a model is used again. Prices and parameters change. */
const KEEP_MS = 300_000

/** @throws APICallError when the time is over, which the AI SDK does not repeat */
async function readInTime(client: ModelRun, modelId: string, deadlineMs: number): Promise<Model> {
  const late = new AbortController()
  const timer = client.clock.setTimeout(() => late.abort(), Math.min(deadlineMs, MAX_TIMER_MS))
  try {
    return await client.models.get(modelId, { signal: late.signal })
  } catch (error) {
    if (!late.signal.aborted) throw error
    const message = `The model ${modelId} was not read within deadlineMs (${deadlineMs} ms). Nothing was sent.`
    throw runError(message, { url: servicePath('models', modelId), code: 'deadline_exceeded', submission: 'not_sent' })
  } finally {
    client.clock.clearTimeout(timer)
  }
}

/**
 * A reader of models, which reads each once in five minutes.
 *
 * @throws NoSuchModelError when there is no such model, or it is of another kind. A kind that is not known is not checked
 */
export function modelReader(getClient: () => ModelRun, deadlineMs: number) {
  const models = new Map<string, { readAt: number; model: Model }>()
  const readOnce = async (modelId: string) => {
    const client = getClient()
    const readAt = client.clock.now()
    const known = models.get(modelId)
    if (known !== undefined && readAt - known.readAt < KEEP_MS) return known.model
    // A read under way is not shared: it has the key of its own caller.
    const model = await readInTime(client, modelId, deadlineMs)
    models.set(modelId, { readAt, model })
    return model
  }
  return async (modelId: string, modelType: ModelKind) => {
    if (modelId === '') reject('modelId', 'the id of the model is missing.')
    const model = await readOnce(modelId).catch((error: unknown) => {
      if (error instanceof NotFoundError) throw new NoSuchModelError({ modelId, modelType, message: error.message })
      return throwAiError({ url: servicePath('models', modelId) })(error)
    })
    const kind = CATEGORIES[model.category]
    if (kind === undefined || kind === modelType) return model
    const message = `${modelId} is a ${model.category} model, so it is a \`${kind}\`, not a \`${modelType}\`. Nothing was sent.`
    throw new NoSuchModelError({ modelId, modelType, message })
  }
}
