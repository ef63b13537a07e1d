import { createContextCapture, createDurations, isWorkers } from '@modelrun/kit'
import { createTransport, type Transport } from './http/transport.ts'
import { PollScheduler } from './jobs/polling/poll-scheduler.ts'
import type { Subscriber } from './jobs/polling/polled-jobs.ts'
import { createCallTracer } from './observe/logger.ts'
import type { ResolvedOptions } from './options.ts'

/** The parts that all calls of one client share. */
export type Core = ReturnType<typeof createCore>

/** Serves the waits of a client. */
type Scheduler = Pick<PollScheduler, 'durations' | 'join' | 'leave' | 'deliver'>

/** A scheduler for each wait, so that no request uses what belongs to another one. The limits of polls count for each wait. */
function createSeparateSchedulers(options: ResolvedOptions, transport: Transport): Scheduler {
  const durations = createDurations()
  const schedulers = new WeakMap<Subscriber, PollScheduler>()
  const of = (subscriber: Subscriber) => {
    const scheduler = schedulers.get(subscriber) ?? new PollScheduler(options, transport, durations)
    schedulers.set(subscriber, scheduler)
    return scheduler
  }
  return {
    durations,
    join: (subscriber) => of(subscriber).join(subscriber),
    leave: (subscriber) => of(subscriber).leave(subscriber),
    deliver: (subscriber, job) => of(subscriber).deliver(subscriber, job),
  }
}

export function createCore(options: ResolvedOptions) {
  const transport = createTransport(options)
  const scheduler: Scheduler = isWorkers()
    ? createSeparateSchedulers(options, transport)
    : new PollScheduler(options, transport)
  return {
    options,
    transport,
    scheduler,
    traceCall: createCallTracer(options.baseUrl),
    /** Captures the async context of the caller, where the runtime has one. */
    captureContext: createContextCapture(),
  }
}
