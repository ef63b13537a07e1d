import { createTransport, type Transport } from './http/transport.ts'
import { PollScheduler } from './jobs/polling/poll-scheduler.ts'
import { createModelCache, type ModelCache } from './models/model-cache.ts'
import { createSpans, type Spans } from './observe/spans.ts'
import type { ResolvedOptions } from './options.ts'
import type { createPriceReader, PriceReader } from './runs/price-reading.ts'

/** The parts that all calls of one client share. */
export interface Core {
  options: ResolvedOptions
  transport: Transport
  modelCache: ModelCache
  prices: PriceReader
  scheduler: PollScheduler
  /** Undefined without a tracer. */
  spans: Spans | undefined
}

export function createCore(options: ResolvedOptions): Core {
  const { clock } = options
  const transport = createTransport(options)
  const modelCache = createModelCache({ clock, transport })
  return {
    options,
    transport,
    scheduler: new PollScheduler(options, transport),
    modelCache,
    prices: createPrices({ clock, modelCache }),
    spans: createSpans(options),
  }
}

/** Nothing waits for the part that reads prices: when it cannot be loaded, results have no price. */
function createPrices(client: Parameters<typeof createPriceReader>[0]): PriceReader {
  let loading: Promise<PriceReader> | undefined
  return {
    addTo: (job, modelId, options) => {
      if (modelId === undefined) return
      let isOver = false
      job.stopPriceReading = () => {
        isOver = true
      }
      loading ??= import('./runs/price-reading.ts').then((part) => part.createPriceReader(client))
      loading.then(
        (prices) => isOver || prices.addTo(job, modelId, options),
        () => {
          loading = undefined
        },
      )
    },
  }
}
