import { createTransport, type Transport } from './http/transport.ts'
import { PollScheduler } from './jobs/polling/poll-scheduler.ts'
import { createModelCache, type ModelCache } from './models/model-cache.ts'
import { createSpans, type Spans } from './observe/spans.ts'
import type { ResolvedOptions } from './options.ts'
import { createPriceReader, type PriceReader } from './runs/price-reading.ts'

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
    prices: createPriceReader({ clock, modelCache }),
    spans: createSpans(options),
  }
}
