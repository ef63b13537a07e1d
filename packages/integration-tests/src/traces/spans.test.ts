import { setImmediate } from 'node:timers/promises'
import type { FetchLike } from 'modelrun'
import { traceRuns } from 'modelrun/otel'
import { describe, expect, it } from 'vitest'
import { FAST, INPUT, ROOT, SLOW, UNSET, useTraceHarness } from './trace-harness.ts'

const SERVER = { 'server.address': 'reference.modelrun.test', 'server.port': 443 }
const START = { 'gen_ai.provider.name': 'modelrun', 'gen_ai.request.model': FAST, ...SERVER }

describe('traceRuns', () => {
  const harness = useTraceHarness()

  it.each(['sync', 'async'] as const)('makes one span of a run that is %s: model, service, job, cost', async (mode) => {
    const result = await harness.connect().run(FAST, INPUT, { mode })
    const span = harness.only()
    expect(span).toMatchObject({ name: ROOT, kind: 'CLIENT', parent: undefined, status: UNSET, events: [] })
    const polls = mode === 'sync' ? 0 : expect.any(Number)
    expect(span?.attributes).toEqual({
      ...START,
      'gen_ai.operation.name': 'generate_content',
      'gen_ai.response.id': result.job_id,
      'gen_ai.output.type': 'image',
      ...(mode === 'sync' ? { 'modelrun.credits_used': 4 } : {}),
      'modelrun.submission': 'accepted',
      'modelrun.polls': polls,
      'http.request.resend_count': 0,
    })
    if (mode === 'async') expect(span?.attributes['modelrun.polls']).toBeGreaterThan(2)
  })

  it('makes one span of a submission and one of a wait', async () => {
    const job = await harness.connect().submit(FAST, INPUT)
    await job.result()
    expect(harness.spans()).toMatchObject([
      { name: 'modelrun.submit', kind: 'CLIENT', status: UNSET },
      { name: 'modelrun.wait', kind: 'INTERNAL', status: UNSET },
    ])
    for (const { attributes } of harness.spans()) {
      expect(attributes).toMatchObject({ ...START, 'gen_ai.response.id': job.id })
    }
  })

  it('makes a span of each run of runMany, and ends those of a loop that is left', async () => {
    harness.server.script(FAST, [{ result: 'succeeded' }, { result: 'hang' }, { result: 'hang' }])
    for await (const _ of harness.connect().runMany(FAST, [INPUT, INPUT, INPUT])) break
    await expect.poll(() => harness.named(ROOT).length).toBe(3)
    const aborted = harness.named(ROOT).map(({ attributes }) => attributes['modelrun.aborted'])
    expect(aborted).toEqual([undefined, true, true])
  })

  it('makes children of the span of the caller, and requests are traced below it, although one timer polls for all', async () => {
    const instrumented: FetchLike = (url, init) =>
      harness.tracer.startActiveSpan(`${init.method} ${new URL(url).pathname}`, async (span) => {
        await setImmediate()
        span.end()
        return await harness.server.fetch(url, init)
      })
    const client = harness.connect({ fetch: instrumented })
    const runUnder = (name: string, model: string) =>
      harness.tracer.startActiveSpan(name, async (span) => {
        const { job_id } = await client.run(model, INPUT, { mode: 'async' })
        span.end()
        return job_id
      })
    const ids = await Promise.all([runUnder('first', FAST), runUnder('second', SLOW), runUnder('third', FAST)])
    for (const [index, name] of ['first', 'second', 'third'].entries()) {
      const polls = harness.named(`GET /v1/jobs/${ids[index]}`)
      expect(polls.length).toBeGreaterThan(1)
      for (const poll of polls) expect(poll.parent).toBe(name)
      const run = harness.spans().find(({ attributes }) => attributes['gen_ai.response.id'] === ids[index])
      expect(run).toMatchObject({ parent: name, attributes: { 'modelrun.polls': polls.length } })
    }
  })

  it('costs no run when the tracer fails, and stops when it is asked to', async () => {
    const broken = () => {
      throw new Error('out of order')
    }
    const span = { setAttributes: broken, addEvent: broken, setStatus: broken, end: broken }
    const tracers = [{ startSpan: broken }, { startSpan: () => span }, { startSpan: () => undefined as never }]
    const stops = tracers.map(traceRuns)
    await expect(harness.connect().run(FAST, INPUT, { mode: 'async' })).resolves.toMatchObject({ status: 'succeeded' })
    for (const stop of stops) stop()
    expect(harness.named(ROOT)).toHaveLength(1)
  })
})
