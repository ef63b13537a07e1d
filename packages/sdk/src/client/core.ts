import { createContextCapture, createDurations } from '@modelrun/kit'
import { createTransport } from './http/transport.ts'
import { createPolls } from './jobs/polling/poll-scheduler.ts'
import { createCallTracer } from './observe/logger.ts'
import type { ResolvedOptions } from './options.ts'

/** The parts that all calls of one client share. */
export type Core = ReturnType<typeof createCore>

export function createCore(options: ResolvedOptions) {
  const transport = createTransport(options)
  const durations = createDurations()
  return {
    options,
    transport,
    durations,
    joinPolls: createPolls(options, transport, durations),
    traceCall: createCallTracer(options.baseUrl),
    captureContext: createContextCapture(),
  }
}
