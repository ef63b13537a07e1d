import {
  APICallError,
  type JSONValue,
  type Experimental_VideoModelV4VideoData as VideoData,
  type Experimental_VideoModelV4 as VideoModelV4,
  type Experimental_VideoModelV4CallOptions as VideoModelV4CallOptions,
  type Experimental_VideoModelV4OperationStatusResult as VideoModelV4Status,
} from '@ai-sdk/provider'
import { ProviderModel, type SerializedModel, WORKFLOW_DESERIALIZE, WORKFLOW_SERIALIZE } from './models.ts'
import type { ResolvedOptions } from './options.ts'
import { FILES_PER_CALL, prepareCall } from './prepare-call.ts'
import { fileFetcher, produceFiles, succeededRun, takeFiles } from './runs.ts'
import { readRuns, startRuns, untilEnded } from './video-operation.ts'
import { WebhookWaits } from './webhook-waits.ts'

/** A model for `generateVideo`, `startVideo` and `getVideoStatus`. */
export class ModelRunVideoModel extends ProviderModel implements VideoModelV4 {
  readonly provider = 'modelrun.video'
  readonly kind = 'videoModel'
  readonly maxVideosPerCall = FILES_PER_CALL
  /** Missing with a batch, which has an inbox of its own: the AI SDK warns then, and polls. */
  readonly handleWebhookOption?: WebhookWaits['add']
  readonly #waits = new WebhookWaits()

  constructor(options: ResolvedOptions, modelId: string) {
    super(options, modelId)
    if (!options.durable) this.handleWebhookOption = this.#waits.add
  }

  /** For calls without `poll` and `webhook`: the client waits, with polls of its own. */
  async doGenerate(options: VideoModelV4CallOptions) {
    const { files, warnings } = await produceFiles(this.options, this, withFrames(options))
    const providerMetadata = { modelrun: { videos: files.map(({ facts }) => facts) } }
    return { videos: files.map(toVideo), warnings, response: this.response, providerMetadata }
  }

  async doStart({ webhookUrl, ...options }: VideoModelV4CallOptions & { webhookUrl?: string }) {
    try {
      const call = await prepareCall(this.options, this, withFrames(options))
      const { operation, facts, jobs, warnings } = await startRuns(this.options, call, webhookUrl)
      const endWait = this.#waits.take(webhookUrl)
      const untilAllEnded = () => jobs.map((job) => untilEnded(job, this.options, options.abortSignal))
      // What fails here is thrown by `doStatus`.
      if (endWait) void Promise.allSettled(untilAllEnded()).then(endWait)
      const providerMetadata = { modelrun: { jobs: facts } }
      const isDelivered = endWait !== undefined
      return { operation: { ...operation, isDelivered }, warnings, response: this.response, providerMetadata }
    } catch (error) {
      // Otherwise the AI SDK starts again, with the same URL.
      if (!(APICallError.isInstance(error) && error.isRetryable)) this.#waits.take(webhookUrl)
      throw error
    }
  }

  async doStatus({ operation, abortSignal: signal }: { operation: JSONValue; abortSignal?: AbortSignal }) {
    const runs = await readRuns(this.options, operation, signal)
    const jobs = runs.map(({ key, jobId, state: status }) => ({ key, jobId, status }))
    const common = { response: this.response, providerMetadata: { modelrun: { jobs } } }
    if (!runs.every(({ hasEnded }) => hasEnded)) return { ...common, status: 'pending' } satisfies VideoModelV4Status
    const ends = await Promise.allSettled(runs.map(async (run) => succeededRun(run)))
    const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.message] : []))
    if (reasons.length === ends.length) {
      return { ...common, status: 'error', error: reasons.join(' ') } satisfies VideoModelV4Status
    }
    const fetchFile = fileFetcher(this.options, signal)
    const { values: videos, warnings } = await takeFiles(ends, async (run, item) => {
      if (this.options.videoFiles === 'bytes') return toVideo(await fetchFile(run, item))
      // The AI SDK detects the type from the bytes, where it is given as this one.
      return { type: 'url', url: item.url, mediaType: 'application/octet-stream' } satisfies VideoData
    })
    return { ...common, status: 'completed', videos, warnings } satisfies VideoModelV4Status
  }

  static [WORKFLOW_SERIALIZE] = (model: ModelRunVideoModel) => ProviderModel.serialize(model)
  static [WORKFLOW_DESERIALIZE] = (data: SerializedModel) => new ModelRunVideoModel(...ProviderModel.deserialize(data))
}

/** The first and the last frame are settings of their own here. */
function withFrames({ frameImages, image, ...options }: VideoModelV4CallOptions) {
  const frame = (type: string) => frameImages?.find(({ frameType }) => frameType === type)?.image
  return { ...options, image: image ?? frame('first_frame'), lastFrame: frame('last_frame') }
}

function toVideo({ data, mediaType }: { data: Uint8Array; mediaType: string }): VideoData {
  return { type: 'binary', data, mediaType }
}
