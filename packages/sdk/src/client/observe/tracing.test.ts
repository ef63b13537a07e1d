import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { json } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { JobFailedError } from '../errors/job-errors.ts'
import type { Span, Tracer } from './safe-span.ts'

const steps = [json(202, fixtures.runs.queued.body), json(200, fixtures.jobs.succeeded.body)]
const INPUT = { prompt: 'a red fox' }

const fail = (): never => {
  throw new Error('the tracer is broken')
}
const reject = () => Promise.reject(new Error('the tracer is broken'))
const SPAN: Span = { setAttribute: () => {}, addEvent: () => {}, setStatus: () => {}, end: () => {} }

/** A tracer whose `startActiveSpan` is any function. */
function tracerOf(startActiveSpan: (work: (span?: Span) => unknown) => unknown): Tracer {
  return {
    startActiveSpan: (_name: string, _options: object, work: unknown) => startActiveSpan(work as never) as never,
  }
}

const TRACERS: [what: string, tracer: Tracer][] = [
  ['throws before the work', tracerOf(fail)],
  [
    'throws after the work',
    tracerOf((work) => {
      work(SPAN)
      fail()
    }),
  ],
  ['never does the work', tracerOf(() => undefined)],
  [
    'does the work twice',
    tracerOf((work) => {
      work(SPAN)
      return work(SPAN)
    }),
  ],
  [
    'does the work later',
    tracerOf((work) => {
      queueMicrotask(() => work(SPAN))
    }),
  ],
  ['returns something else', tracerOf((work) => void work(SPAN))],
  ['is asynchronous', tracerOf(async (work) => await work(SPAN))],
  ['rejects', tracerOf(reject)],
  ['gives no span', tracerOf((work) => work(undefined))],
  ['gives a span that only ends', tracerOf((work) => work({ end: () => {} } as unknown as Span))],
  ['gives a span without status and events', tracerOf((work) => work({ setAttribute: () => {}, end: () => {} }))],
  [
    'gives a span that throws',
    tracerOf((work) => work({ setAttribute: fail, addEvent: fail, setStatus: fail, end: fail })),
  ],
  [
    'gives a span that rejects',
    tracerOf((work) => work({ setAttribute: reject, addEvent: reject, setStatus: reject, end: reject as never })),
  ],
]

describe.each(TRACERS)('a tracer that %s', (_what, tracer) => {
  test('does not cost a result, and the run is sent once', async () => {
    const { client, clock, service } = createTestClient(steps, { tracer })
    await expect(clock.run(client.run('aurora-image', INPUT))).resolves.toMatchObject({ status: 'succeeded' })
    expect(service.received.map(({ method }) => method)).toEqual(['POST', 'GET'])
  })

  test('does not hide the error that ends a run', async () => {
    const { client, clock } = createTestClient([steps[0] ?? fail, json(200, fixtures.jobs.failed.body)], { tracer })
    await caught(clock.run(client.run('aurora-image', INPUT)), JobFailedError)
  })

  test('does not cost the results of runMany, settle and updates', async () => {
    const { client, clock, service } = createTestClient(steps, { tracer })
    const all = async () => {
      for await (const run of client.runMany('aurora-image', [INPUT])) expect(run.status).toBe('fulfilled')
      for await (const job of client.jobs.settle(['job_1'])) expect(job.status).toBe('fulfilled')
      for await (const { status } of client.jobs.attach('job_1').updates()) expect(status).toBe('succeeded')
    }
    await clock.run(all())
    expect(service.received.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET'])
  })
})

test('a tracer that fails is logged once', async () => {
  const warnings: string[] = []
  const logger = { ...console, warn: (line: string) => warnings.push(line) }
  const { client, clock } = createTestClient(steps, { tracer: tracerOf(fail), logger, logLevel: 'warn' })
  await clock.run(client.run('aurora-image', INPUT))
  expect(warnings).toEqual([expect.stringMatching(/tracer failed.*the tracer is broken/)])
})
