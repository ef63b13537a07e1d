import { InvalidArgumentError, NoSuchModelError } from '@ai-sdk/provider'
import { type Model, type ModelRun, NotFoundError } from 'modelrun'
import { toAiError } from './errors.ts'

/** The kinds of models of the AI SDK that the service has. */
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

/** Reads models, each once in five minutes. */
export class ModelReader {
  readonly #client: () => ModelRun
  readonly #models = new Map<string, { readAt: number; model: Promise<Model> }>()

  constructor(client: () => ModelRun) {
    this.#client = client
  }

  /** @throws NoSuchModelError when there is no such model, or it is of another kind. A kind that is not known is not checked */
  async read(modelId: string, modelType: ModelKind): Promise<Model> {
    const model = await this.#readOnce(modelId).catch((error: unknown) => {
      if (error instanceof NotFoundError) throw new NoSuchModelError({ modelId, modelType, message: error.message })
      throw toAiError(error, { url: modelPath(modelId) })
    })
    const kind = CATEGORIES[model.category]
    if (kind === undefined || kind === modelType) return model
    const message = `${modelId} is a ${model.category} model, so it is a \`${kind}\`, not a \`${modelType}\`. Nothing was sent.`
    throw new NoSuchModelError({ modelId, modelType, message })
  }

  async #readOnce(modelId: string): Promise<Model> {
    if (modelId === '')
      throw new InvalidArgumentError({ argument: 'modelId', message: 'The id of the model is missing.' })
    const client = this.#client()
    const now = client.clock.now()
    const known = this.#models.get(modelId)
    if (known !== undefined && now - known.readAt < KEEP_MS) return await known.model
    const model = Promise.resolve(client.models.get(modelId))
    this.#models.set(modelId, { readAt: now, model })
    model.catch(() => this.#models.delete(modelId))
    return await model
  }
}

/** The path of a model at the service. */
export function modelPath(modelId: string): string {
  return `/v1/models/${encodeURIComponent(modelId)}`
}
