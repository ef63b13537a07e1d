import { type ContextCapture, createContextCapture } from '../shared/node-builtin.ts'
import { createTransport, type Transport } from './http/transport.ts'
import { PollScheduler } from './jobs/polling/poll-scheduler.ts'
import { createCallTracer, type TraceCall } from './observe/logger.ts'
import type { ResolvedOptions } from './options.ts'

/** The parts that all calls of one client share. */
export interface Core {
  options: ResolvedOptions
  transport: Transport
  scheduler: PollScheduler
  traceCall: TraceCall
  /** Captures the async context of the caller, where the runtime has one. */
  captureContext: ContextCapture
}

export function createCore(options: ResolvedOptions): Core {
  const transport = createTransport(options)
  return {
    options,
    transport,
    scheduler: new PollScheduler(options, transport),
    traceCall: createCallTracer(options.baseUrl),
    captureContext: createContextCapture(),
  }
}
