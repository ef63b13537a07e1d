import type { ReferenceServer } from '@modelrun/reference-server'
import { ModelRun, type ModelRunOptions } from 'modelrun'
import { afterAll, afterEach, beforeEach } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'
import { type RecordedSpan, recordSpans, type SpanRecord } from './record-spans.ts'

/** 4 s. */
export const FAST = 'aurora-image'
/** 90 s. */
export const SLOW = 'lumen/aurora-video'
export const INPUT = { prompt: 'a red fox' }
export const ROOT = `generate_content ${FAST}`

export const UNSET = { code: 'UNSET' }

/** The event of a poll with a response. */
export const poll = (status: string) => ['modelrun.poll', { 'modelrun.job.status': status }]
/** The event of a new state. */
export const state = (status: string) => ['modelrun.state', { 'modelrun.job.status': status }]

/** What tests of traces work with. */
export interface TraceHarness {
  readonly server: ReferenceServer
  readonly record: SpanRecord
  /** A client that is traced, without jitter. */
  connect(options?: ModelRunOptions): ModelRun
  /** The names of all spans, and the spans of the only run of {@link FAST}. */
  tree(): Record<'run' | 'submit' | 'wait', RecordedSpan | undefined> & { names: string[] }
}

/** A server on its auto clock for each test of the file, and OpenTelemetry for all of them. */
export function useTraceHarness(): TraceHarness {
  const record = recordSpans()
  let server: ReferenceServer
  beforeEach(() => {
    record.reset()
    server = createCheckedServer()
  })
  afterEach(() => server.close())
  afterAll(() => record.stop())
  return {
    get server() {
      return server
    },
    record,
    connect: (options) =>
      new ModelRun({
        ...server.clientOptions(),
        tracer: record.tracer,
        random: () => 0.5,
        logLevel: 'off',
        ...options,
      }),
    tree: () => {
      const names = record.spans().map(({ name }) => name)
      const first = (name: string) => record.named(name)[0]
      return { names, run: first(ROOT), submit: first('modelrun.submit'), wait: first('modelrun.wait') }
    },
  }
}
