import {
  type ImageModelV4,
  NoSuchModelError,
  type ProviderV4,
  type SpeechModelV4,
  type Experimental_VideoModelV4 as VideoModelV4,
} from '@ai-sdk/provider'
import type { ModelRun } from 'modelrun'
import { ModelRunImageModel, ModelRunSpeechModel } from './models.ts'
import { type ModelRunProviderOptions, resolveOptions } from './options.ts'
import { ModelRunVideoModel } from './video-model.ts'

/** A provider for `ai` 7. */
export interface ModelRunProvider extends ProviderV4 {
  /** A model for `generateImage`. */
  image(modelId: string): ImageModelV4
  /** The same as {@link image}, by the name that registries use. */
  imageModel(modelId: string): ImageModelV4
  /** A model for `generateVideo`, `startVideo` and `getVideoStatus`. */
  video(modelId: string): VideoModelV4
  /** The same as {@link video}. */
  videoModel(modelId: string): VideoModelV4
  /** A model for `generateSpeech`: speech, music and sounds. */
  speech(modelId: string): SpeechModelV4
  /** The same as {@link speech}. */
  speechModel(modelId: string): SpeechModelV4
  /**
   * The client: to continue with a job whose id is in an error or in `providerMetadata.modelrun`, or to cancel it.
   *
   * @throws ConfigurationError when there is no key
   */
  client(): ModelRun
}

/**
 * Creates a provider for the AI SDK. One call is one run, whatever retries the AI SDK makes: a run that the service may have
 * accepted is not sent again.
 *
 * @throws InvalidArgumentError when an option is wrong
 *
 * @example
 * const modelrun = createModelRun()
 * const { image } = await generateImage({ model: modelrun.image('aurora-image'), prompt: 'a red fox' })
 */
export function createModelRun(options: ModelRunProviderOptions = {}): ModelRunProvider {
  const resolved = resolveOptions(options)
  const image = (modelId: string) => new ModelRunImageModel(resolved, modelId)
  const video = (modelId: string) => new ModelRunVideoModel(resolved, modelId)
  const speech = (modelId: string) => new ModelRunSpeechModel(resolved, modelId)
  return {
    specificationVersion: 'v4',
    image,
    imageModel: image,
    video,
    videoModel: video,
    speech,
    speechModel: speech,
    languageModel: (modelId: string) => missing(modelId, 'languageModel'),
    embeddingModel: (modelId: string) => missing(modelId, 'embeddingModel'),
    client: resolved.client,
  }
}

function missing(modelId: string, modelType: 'languageModel' | 'embeddingModel'): never {
  const message = `The service has no \`${modelType}\` (${modelId}): it has models for images, videos and speech.`
  throw new NoSuchModelError({ modelId, modelType, message })
}

/** The provider of the environment variables `MODELRUN_API_KEY` and `MODELRUN_BASE_URL`. */
export const modelrun: ModelRunProvider = /* @__PURE__ */ createModelRun()
