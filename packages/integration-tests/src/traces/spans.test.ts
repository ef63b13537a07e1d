import { createInbox } from 'modelrun/webhooks'
import { describe, expect, it } from 'vitest'
import { FAST, INPUT, poll, ROOT, SLOW, state, UNSET, useTraceHarness } from './trace-harness.ts'

const SERVER = { 'server.address': 'reference.modelrun.test', 'server.port': 443 }
const RUN = {
  'gen_ai.operation.name': 'generate_content',
  'gen_ai.provider.name': 'modelrun',
  'gen_ai.request.model': FAST,
  ...SERVER,
}
const SUBMIT = {
  'gen_ai.request.model': FAST,
  'http.request.method': 'POST',
  'url.template': '/v1/models/{model}/run',
  ...SERVER,
}

describe('the spans of a run', () => {
  const harness = useTraceHarness()

  it('describe a run within the hold: its model, its service and its cost', async () => {
    const result = await harness.connect().run(FAST, INPUT)
    const { names, run, submit } = harness.tree()
    expect(names).toEqual(['modelrun.submit', ROOT])
    expect(run).toMatchObject({ kind: 'CLIENT', parent: undefined, status: UNSET, events: [] })
    expect(run?.attributes).toEqual({
      ...RUN,
      'gen_ai.response.id': result.job_id,
      'gen_ai.output.type': 'image',
      'modelrun.job.status': 'succeeded',
      'modelrun.credits_used': 4,
      'modelrun.submission': 'accepted',
      'modelrun.polls': 0,
    })
    expect(submit).toMatchObject({ kind: 'CLIENT', parent: ROOT, status: UNSET, events: [] })
    expect(submit?.attributes).toEqual({
      ...SUBMIT,
      'gen_ai.response.id': result.job_id,
      'http.response.status_code': 200,
    })
  })

  it('describe a run that is polled: each poll and each new state is an event of its wait', async () => {
    const result = await harness.connect().run(FAST, INPUT, { mode: 'async' })
    const { names, run, wait } = harness.tree()
    expect(names).toEqual(['modelrun.submit', 'modelrun.wait', ROOT])
    expect(wait).toMatchObject({ kind: 'INTERNAL', parent: ROOT, status: UNSET })
    const polls = wait?.events.filter(([name]) => name === 'modelrun.poll') ?? []
    expect(polls.length).toBeGreaterThan(2)
    expect(wait?.events[0]).toEqual(state('queued'))
    expect(wait?.events.slice(-2)).toEqual([poll('succeeded'), state('succeeded')])
    expect(wait?.attributes).toEqual({
      'gen_ai.request.model': FAST,
      'gen_ai.response.id': result.job_id,
      'modelrun.job.status': 'succeeded',
      'modelrun.polls': polls.length,
    })
    expect(run?.attributes).toMatchObject({
      'gen_ai.response.id': result.job_id,
      'modelrun.polls': polls.length,
      'modelrun.submission': 'accepted',
    })
  })

  it.each([
    ['text-to-video', 'kinora/reel-swift', 'video'],
    ['audio-generation', 'tidepool/foley', 'audio'],
  ])('name the type of the output of %s', async (_category, model, type) => {
    await harness.connect().run(model, INPUT)
    expect(harness.record.named(`generate_content ${model}`)[0]?.attributes).toMatchObject({
      'gen_ai.output.type': type,
    })
  })

  it.each([
    [7, 7],
    ['7', undefined],
    [undefined, undefined],
  ])('have the seed of the input when it is an integer: %j', async (seed, expected) => {
    await harness
      .connect()
      .run(FAST, { ...INPUT, seed })
      .catch(() => {})
    expect(harness.tree().run?.attributes['gen_ai.request.seed']).toBe(expected)
  })

  it('describe a run whose result comes by webhook', async () => {
    const client = harness.connect()
    const inbox = createInbox({
      client,
      clock: harness.server.clock,
      publicUrl: 'https://app.test/hook',
      secret: 'x'.repeat(32),
    })
    harness.server.webhooks.deliver((request) => inbox.handle(request))
    const result = await client.run(FAST, INPUT, { webhook: inbox })
    const { run, wait } = harness.tree()
    expect(wait?.events.slice(-2)).toEqual([
      ['modelrun.delivery', { 'modelrun.job.status': 'succeeded' }],
      state('succeeded'),
    ])
    expect(run?.attributes).toMatchObject({ 'gen_ai.response.id': result.job_id, 'modelrun.job.status': 'succeeded' })
    await inbox.drain()
  })

  it('have a limited number of events, however long the wait is', async () => {
    harness.server.script(SLOW, [{ result: 'succeeded', after_ms: 3_600_000 }])
    await harness.connect().run(SLOW, INPUT, { deadlineMs: Number.POSITIVE_INFINITY })
    const { wait } = harness.tree()
    expect(wait?.attributes['modelrun.polls']).toBeGreaterThan(300)
    expect(wait?.events.filter(([name]) => name === 'modelrun.poll')).toHaveLength(100)
    expect(wait?.events.at(-1)).toEqual(state('succeeded'))
  })

  it('are children of the span of the caller', async () => {
    const client = harness.connect()
    await harness.record.tracer.startActiveSpan('checkout', async (span) => {
      await client.run(FAST, INPUT)
      span.end()
    })
    expect(harness.record.named(ROOT)[0]).toMatchObject({ parent: 'checkout' })
  })
})
