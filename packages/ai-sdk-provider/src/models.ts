import type { ImageModelV4, ImageModelV4CallOptions, SpeechModelV4, SpeechModelV4CallOptions } from '@ai-sdk/provider'
import type { ModelKind } from './model-reader.ts'
import type { ResolvedOptions } from './options.ts'
import { FILES_PER_CALL } from './prepare-call.ts'
import { produceFiles } from './runs.ts'

export abstract class ProviderModel {
  abstract readonly kind: ModelKind
  readonly specificationVersion = 'v4'
  readonly modelId: string
  // It gives access to the API key. Private fields are not printed by console.log and JSON.stringify.
  readonly #options: ResolvedOptions

  constructor(options: ResolvedOptions, modelId: string) {
    this.#options = options
    this.modelId = modelId
  }

  protected get options(): ResolvedOptions {
    return this.#options
  }

  protected get response() {
    return { timestamp: new Date(), modelId: this.modelId, headers: undefined }
  }
}

export class ModelRunImageModel extends ProviderModel implements ImageModelV4 {
  readonly provider = 'modelrun.image'
  readonly kind = 'imageModel'
  readonly maxImagesPerCall = FILES_PER_CALL

  async doGenerate(options: ImageModelV4CallOptions) {
    const { files, facts, warnings } = await produceFiles(this.options, this, options)
    return {
      images: files.map(({ data }) => data),
      isRetryable: false,
      warnings,
      response: this.response,
      // The AI SDK keeps `images` alone.
      providerMetadata: { modelrun: { images: facts } },
    }
  }
}

/** A model for `generateSpeech`: speech, music and sounds. */
export class ModelRunSpeechModel extends ProviderModel implements SpeechModelV4 {
  readonly provider = 'modelrun.speech'
  readonly kind = 'speechModel'

  async doGenerate(options: SpeechModelV4CallOptions) {
    const { files, warnings } = await produceFiles(this.options, this, options)
    const [file] = files
    return {
      audio: file?.data ?? new Uint8Array(),
      warnings,
      response: { ...this.response, headers: { 'content-type': file?.mediaType ?? '' } },
      providerMetadata: { modelrun: file?.facts ?? {} },
    }
  }
}
