import type { ImageModelV4, ImageModelV4CallOptions } from '@ai-sdk/provider'
import { produceFiles } from './produced-files.ts'
import {
  FILES_PER_CALL,
  ProviderModel,
  responseOf,
  type SerializedModel,
  WORKFLOW_DESERIALIZE,
  WORKFLOW_SERIALIZE,
} from './provider-model.ts'

/** A model for `generateImage`. */
export class ModelRunImageModel extends ProviderModel implements ImageModelV4 {
  readonly provider = 'modelrun.image'
  readonly maxImagesPerCall = FILES_PER_CALL

  async doGenerate({ n, providerOptions, abortSignal, headers, ...settings }: ImageModelV4CallOptions) {
    const wanted = { modelId: this.modelId, kind: 'imageModel' as const, settings, count: n }
    const { files, warnings } = await produceFiles(this.context, wanted, { providerOptions, abortSignal, headers })
    return {
      images: files.map(({ data }) => data),
      isRetryable: false,
      warnings,
      response: responseOf(this.modelId),
      // The AI SDK requires `images`.
      providerMetadata: { modelrun: { images: files.map(({ facts }) => facts) } },
    }
  }

  static [WORKFLOW_SERIALIZE] = (model: ModelRunImageModel) => ProviderModel.serialize(model)
  static [WORKFLOW_DESERIALIZE] = (data: SerializedModel) => new ModelRunImageModel(...ProviderModel.deserialize(data))
}
