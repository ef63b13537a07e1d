import { describe, expect, it } from 'vitest'
import { FAST, INPUT, poll, ROOT, state, UNSET, useTraceHarness } from './trace-harness.ts'

describe('the spans of what is not one run from start to end', () => {
  const harness = useTraceHarness()

  it('are one for a submission and one for a wait, each the root of its trace', async () => {
    const job = await harness.connect().submit(FAST, INPUT)
    await job.result()
    const { names, submit, wait } = harness.tree()
    expect(names).toEqual(['modelrun.submit', 'modelrun.wait'])
    expect(submit).toMatchObject({ kind: 'CLIENT', parent: undefined, status: UNSET })
    expect(wait).toMatchObject({ kind: 'INTERNAL', parent: undefined, status: UNSET })
    for (const span of [submit, wait]) {
      expect(span?.attributes).toMatchObject({ 'gen_ai.request.model': FAST, 'gen_ai.response.id': job.id })
    }
  })

  it('have no model for a wait that knows only the id of the job', async () => {
    const { id } = await harness.connect().submit(FAST, INPUT)
    await harness.connect().jobs.attach(id).result()
    const { wait } = harness.tree()
    expect(wait?.attributes).toEqual({
      'gen_ai.response.id': id,
      'modelrun.job.status': 'succeeded',
      'modelrun.polls': wait?.events.filter(([name]) => name === 'modelrun.poll').length,
    })
  })

  it('are an error when there is no such job', async () => {
    await expect(harness.connect().jobs.attach('job_nowhere').result()).rejects.toThrow('HTTP 404')
    const { wait } = harness.tree()
    expect(wait?.status).toEqual({ code: 'ERROR', message: expect.stringMatching(/^HTTP 404 \w+$/) })
    expect(wait?.attributes).toMatchObject({ 'error.type': 'not_found', 'modelrun.polls': 1 })
    expect(wait?.events).toEqual([['modelrun.poll', { 'modelrun.reason': 'HTTP 404' }]])
  })

  it('are one for each wait of jobs.settle, ended as its job ended', async () => {
    harness.server.script(FAST, [{ result: 'succeeded' }, { result: 'failed' }, { result: 'hang' }])
    const client = harness.connect()
    const jobs = [await client.submit(FAST, INPUT), await client.submit(FAST, INPUT), await client.submit(FAST, INPUT)]
    for await (const job of client.jobs.settle(jobs)) if (job.status === 'rejected') break
    const waits = harness.record.named('modelrun.wait')
    expect(jobs.map(({ id }) => waits.find((span) => span.attributes['gen_ai.response.id'] === id))).toMatchObject([
      { status: UNSET, attributes: { 'modelrun.job.status': 'succeeded' } },
      { status: { code: 'ERROR' }, attributes: { 'error.type': 'job_failed' } },
      { status: UNSET, attributes: { 'modelrun.aborted': true } },
    ])
  })

  it('are one for updates, which is not an error when the job fails, nor when the loop is left', async () => {
    harness.server.script(FAST, [{ result: 'failed' }, { result: 'hang' }])
    const client = harness.connect()
    for await (const _ of (await client.submit(FAST, INPUT)).updates()) {
      // To the end.
    }
    for await (const _ of (await client.submit(FAST, INPUT)).updates()) break
    expect(harness.record.named('modelrun.wait')).toMatchObject([
      { status: UNSET, attributes: { 'modelrun.job.status': 'failed' } },
      { status: UNSET, attributes: { 'modelrun.job.status': 'queued', 'modelrun.aborted': true } },
    ])
  })

  it('have the polls of a job each for itself, when several wait for it', async () => {
    const client = harness.connect()
    const { id } = await client.submit(FAST, INPUT)
    await Promise.all([client.jobs.attach(id).result(), client.jobs.attach(id).result()])
    const [one, other] = harness.record.named('modelrun.wait')
    expect(one?.events).toEqual(other?.events)
    expect(one?.events.slice(-2)).toEqual([poll('succeeded'), state('succeeded')])
    expect(one?.traceId).not.toBe(other?.traceId)
  })
})

describe('the spans of runMany', () => {
  const harness = useTraceHarness()
  const inputs = [INPUT, INPUT, INPUT]

  it('are those of a run for each input, below the span of the caller', async () => {
    harness.server.script(FAST, [{ result: 'succeeded' }, { result: 'failed' }, { result: 'succeeded' }])
    await harness.record.tracer.startActiveSpan('batch', async (span) => {
      for await (const _ of harness.connect().runMany(FAST, inputs)) {
        // To the end.
      }
      span.end()
    })
    const runs = harness.record.named(ROOT)
    expect(runs).toHaveLength(3)
    for (const run of runs) expect(run.parent).toBe('batch')
    expect(runs.map(({ status }) => status.code).sort()).toEqual(['ERROR', 'UNSET', 'UNSET'])
    for (const name of ['modelrun.submit', 'modelrun.wait']) {
      const children = harness.record.named(name)
      expect(children.map(({ parentId }) => parentId).sort()).toEqual(runs.map(({ id }) => id).sort())
      expect(children).toEqual(Array(3).fill(expect.objectContaining({ parent: ROOT })))
    }
  })

  it('end when the loop is left', async () => {
    harness.server.script(FAST, [{ result: 'succeeded' }, { result: 'hang' }, { result: 'hang' }])
    for await (const _ of harness.connect().runMany(FAST, inputs)) break
    expect(harness.record.named(ROOT).map(({ attributes }) => attributes['modelrun.aborted'])).toEqual([
      undefined,
      true,
      true,
    ])
    expect(harness.record.named('modelrun.wait')).toHaveLength(3)
  })

  it('are a wait alone for a job of an earlier attempt', async () => {
    const client = harness.connect()
    const job = await client.submit(FAST, INPUT)
    harness.record.reset()
    for await (const _ of client.runMany(FAST, [INPUT], { resume: new Map([[0, job]]) })) {
      // To the end.
    }
    expect(harness.tree().names).toEqual(['modelrun.wait'])
  })
})
