import {
  type ImageModelV4,
  type ImageModelV4CallOptions,
  type SpeechModelV4,
  type SpeechModelV4CallOptions,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import type { ModelKind } from './model-reader.ts'
import { type ResolvedOptions, resolveOptions } from './options.ts'
import { FILES_PER_CALL } from './prepare-call.ts'
import { produceFiles } from './runs.ts'

/** Names of the two functions by which the Workflow SDK passes a model from one step to another. */
export const WORKFLOW_SERIALIZE: unique symbol = Symbol.for('workflow-serialize')
export const WORKFLOW_DESERIALIZE: unique symbol = Symbol.for('workflow-deserialize')

/** A model as JSON. It holds no key: the other process has its own in `MODELRUN_API_KEY`. */
export interface SerializedModel {
  modelId: string
  options: NonNullable<ResolvedOptions['plain']>
}

/** What models of all kinds have. */
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

  /** @throws UnsupportedFunctionalityError when the provider has a client, a batch or an inbox, which would be lost */
  protected static serialize({ modelId, options: { plain: options } }: ProviderModel): SerializedModel {
    if (options !== undefined) return { modelId, options }
    const message = `The model ${modelId} has a \`client\`, \`durable\` or \`webhook\`: create it in the step that uses it.`
    throw new UnsupportedFunctionalityError({ functionality: 'serialize', message })
  }

  protected static deserialize({ modelId, options }: SerializedModel): [ResolvedOptions, string] {
    return [resolveOptions(options), modelId]
  }
}

/** A model for `generateImage`. */
export class ModelRunImageModel extends ProviderModel implements ImageModelV4 {
  readonly provider = 'modelrun.image'
  readonly kind = 'imageModel'
  readonly maxImagesPerCall = FILES_PER_CALL

  async doGenerate(options: ImageModelV4CallOptions) {
    const { files, warnings } = await produceFiles(this.options, this, options)
    return {
      images: files.map(({ data }) => data),
      isRetryable: false,
      warnings,
      response: this.response,
      // The AI SDK requires `images`.
      providerMetadata: { modelrun: { images: files.map(({ facts }) => facts) } },
    }
  }

  static [WORKFLOW_SERIALIZE] = (model: ModelRunImageModel) => ProviderModel.serialize(model)
  static [WORKFLOW_DESERIALIZE] = (data: SerializedModel) => new ModelRunImageModel(...ProviderModel.deserialize(data))
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

  static [WORKFLOW_SERIALIZE] = (model: ModelRunSpeechModel) => ProviderModel.serialize(model)
  static [WORKFLOW_DESERIALIZE] = (data: SerializedModel) => new ModelRunSpeechModel(...ProviderModel.deserialize(data))
}
