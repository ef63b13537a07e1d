import type { Transport } from './http/transport.ts'
import type { PollScheduler } from './jobs/polling/poll-scheduler.ts'
import type { ModelCache } from './models/model-cache.ts'
import type { Tracing } from './observe/tracing.ts'
import type { ResolvedOptions } from './options.ts'

/** What the parts of one client share. */
export interface Core {
  options: ResolvedOptions
  transport: Transport
  modelCache: ModelCache
  scheduler: PollScheduler
  /** Undefined without a tracer. */
  tracing: Tracing | undefined
}
