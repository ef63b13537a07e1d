import type { Core } from './core.ts'
import { createTransport } from './http/transport.ts'
import { createPollScheduler } from './jobs/polling/poll-scheduler.ts'
import { createModelCache } from './models/model-cache.ts'
import { createTracing } from './observe/tracing.ts'
import type { ResolvedOptions } from './options.ts'

export function createCore(options: ResolvedOptions): Core {
  const transport = createTransport(options)
  const scheduler = createPollScheduler({ options, transport })
  return { options, transport, scheduler, modelCache: createModelCache(options.clock), tracing: createTracing(options) }
}
