import { createTransport, type Transport } from './http/transport.ts'
import { PollScheduler } from './jobs/polling/poll-scheduler.ts'
import { createModelCache, type ModelCache } from './models/model-cache.ts'
import { createSpans, type Spans } from './observe/spans.ts'
import type { ResolvedOptions } from './options.ts'

/** The parts that all calls of one client share. */
export interface Core {
  options: ResolvedOptions
  transport: Transport
  modelCache: ModelCache
  scheduler: PollScheduler
  /** Undefined without a tracer. */
  spans: Spans | undefined
}

export function createCore(options: ResolvedOptions): Core {
  const { clock } = options
  const transport = createTransport(options)
  return {
    options,
    transport,
    scheduler: new PollScheduler(options, transport),
    modelCache: createModelCache({ clock, transport }),
    spans: createSpans(options),
  }
}
