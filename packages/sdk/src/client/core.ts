import { createTransport, type Transport } from './http/transport.ts'
import { PollScheduler } from './jobs/polling/poll-scheduler.ts'
import { createModelCache, type ModelCache } from './models/model-cache.ts'
import { createCallTracer, type TraceCall } from './observe/logger.ts'
import type { ResolvedOptions } from './options.ts'

/** The parts that all calls of one client share. */
export interface Core {
  options: ResolvedOptions
  transport: Transport
  modelCache: ModelCache
  scheduler: PollScheduler
  traceCall: TraceCall
}

export function createCore(options: ResolvedOptions): Core {
  const { clock } = options
  const transport = createTransport(options)
  return {
    options,
    transport,
    scheduler: new PollScheduler(options, transport),
    modelCache: createModelCache({ clock, transport }),
    traceCall: createCallTracer(options.baseUrl),
  }
}
