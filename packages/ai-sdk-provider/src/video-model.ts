import type {
  JSONValue,
  Experimental_VideoModelV4VideoData as VideoData,
  Experimental_VideoModelV4 as VideoModelV4,
  Experimental_VideoModelV4CallOptions as VideoModelV4CallOptions,
  Experimental_VideoModelV4OperationStatusResult as VideoModelV4Status,
} from '@ai-sdk/provider'
import { ProviderModel } from './models.ts'
import { FILES_PER_CALL, prepareCall } from './prepare-call.ts'
import { fileFetcher, produceFiles, succeededRun, takeFiles } from './runs.ts'
import { readRuns, startRuns } from './video-operation.ts'

/** A model for `generateVideo`, `startVideo` and `getVideoStatus`. */
export class ModelRunVideoModel extends ProviderModel implements VideoModelV4 {
  readonly provider = 'modelrun.video'
  readonly kind = 'videoModel'
  readonly maxVideosPerCall = FILES_PER_CALL

  /** For calls without `poll` and `webhook`: the client waits, with polls of its own. */
  async doGenerate(options: VideoModelV4CallOptions) {
    const { files, facts, warnings } = await produceFiles(this.options, this, withFrames(options))
    const providerMetadata = { modelrun: { videos: facts } }
    return { videos: files.map(toVideo), warnings, response: this.response, providerMetadata }
  }

  async doStart({ webhookUrl, ...options }: VideoModelV4CallOptions & { webhookUrl?: string }) {
    const call = await prepareCall(this.options, this, withFrames(options))
    const { operation, facts, warnings } = await startRuns(this.options, call, webhookUrl)
    return { operation, warnings, response: this.response, providerMetadata: { modelrun: { jobs: facts } } }
  }

  async doStatus({ operation, abortSignal: signal }: { operation: JSONValue; abortSignal?: AbortSignal }) {
    const endsAt = performance.now() + this.options.deadlineMs
    const runs = await readRuns(this.options, operation, signal)
    const jobs = runs.map(({ key, jobId, state: status }) => ({ key, jobId, status }))
    const common = { response: this.response, providerMetadata: { modelrun: { jobs } } }
    if (!runs.every(({ hasEnded }) => hasEnded)) return { ...common, status: 'pending' } satisfies VideoModelV4Status
    const results = runs.map(async (run) => succeededRun(run))
    const ends = await Promise.allSettled(results)
    const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.message] : []))
    if (reasons.length === ends.length) {
      return { ...common, status: 'error', error: reasons.join(' ') } satisfies VideoModelV4Status
    }
    const fetchFile = fileFetcher(this.options, signal, () => Math.max(1, endsAt - performance.now()))
    const { values: videos, warnings } = await takeFiles(results, async (run, item) => {
      if (this.options.videoFiles === 'bytes') return toVideo(await fetchFile(run, item))
      // The AI SDK detects the type from the bytes, where it is given as this one.
      return { type: 'url', url: item.url, mediaType: 'application/octet-stream' } satisfies VideoData
    })
    return { ...common, status: 'completed', videos, warnings } satisfies VideoModelV4Status
  }
}

/** The first and the last frame are settings of their own here. */
function withFrames({ frameImages, image, ...options }: VideoModelV4CallOptions) {
  const frame = (type: string) => frameImages?.find(({ frameType }) => frameType === type)?.image
  return { ...options, image: image ?? frame('first_frame'), lastFrame: frame('last_frame') }
}

function toVideo({ data, mediaType }: { data: Uint8Array; mediaType: string }): VideoData {
  return { type: 'binary', data, mediaType }
}
