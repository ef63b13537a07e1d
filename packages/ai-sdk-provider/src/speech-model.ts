import type { SpeechModelV4, SpeechModelV4CallOptions } from '@ai-sdk/provider'
import { produceFiles } from './produced-files.ts'
import {
  ProviderModel,
  responseOf,
  type SerializedModel,
  WORKFLOW_DESERIALIZE,
  WORKFLOW_SERIALIZE,
} from './provider-model.ts'

/** A model for `generateSpeech`: speech, music and sounds. */
export class ModelRunSpeechModel extends ProviderModel implements SpeechModelV4 {
  readonly provider = 'modelrun.speech'

  async doGenerate({ providerOptions, abortSignal, headers, ...settings }: SpeechModelV4CallOptions) {
    const wanted = { modelId: this.modelId, kind: 'speechModel' as const, settings, count: 1 }
    const { files, warnings } = await produceFiles(this.context, wanted, { providerOptions, abortSignal, headers })
    const [file] = files
    return {
      audio: file?.data ?? new Uint8Array(),
      warnings,
      response: { ...responseOf(this.modelId), headers: { 'content-type': file?.mediaType ?? '' } },
      providerMetadata: { modelrun: file?.facts ?? {} },
    }
  }

  static [WORKFLOW_SERIALIZE] = (model: ModelRunSpeechModel) => ProviderModel.serialize(model)
  static [WORKFLOW_DESERIALIZE] = (data: SerializedModel) => new ModelRunSpeechModel(...ProviderModel.deserialize(data))
}
