import type { FetchLike } from 'modelrun'
import { describe, expect, it } from 'vitest'
import { FAST, INPUT, ROOT, SLOW, useTraceHarness } from './trace-harness.ts'

describe('requests', () => {
  const harness = useTraceHarness()

  /** A span for each HTTP request, as an instrumentation of `fetch` makes it. */
  const instrumented: FetchLike = (url, init) =>
    harness.record.tracer.startActiveSpan(`${init.method} ${new URL(url).pathname}`, async (span) => {
      try {
        return await harness.server.fetch(url, init)
      } finally {
        span.end()
      }
    })

  it('belong to the run that they are for, although one timer serves all runs', async () => {
    const client = harness.connect({ fetch: instrumented })
    const models = [FAST, SLOW, FAST, SLOW]
    const results = await Promise.all(models.map((model) => client.run(model, INPUT, { mode: 'async' })))
    for (const [index, { job_id }] of results.entries()) {
      const run = harness.record.named(`generate_content ${models[index]}`).find(isOf(job_id))
      const polls = harness.record.named(`GET /v1/jobs/${job_id}`)
      expect(polls.length).toBe(run?.attributes['modelrun.polls'])
      for (const poll of polls) expect(poll).toMatchObject({ parent: 'modelrun.wait', traceId: run?.traceId })
    }
    const posts = harness.record.named(`POST /v1/models/${FAST}/run`)
    expect(posts).toEqual([
      expect.objectContaining({ parent: 'modelrun.submit' }),
      expect.objectContaining({ parent: 'modelrun.submit' }),
    ])
  })

  it('of a hold and of what is checked before it belong to the run', async () => {
    await harness.connect({ fetch: instrumented }).run(FAST, INPUT, { validateInput: true })
    expect(harness.record.named(`GET /v1/models/${FAST}`)).toMatchObject([{ parent: ROOT }])
    expect(harness.record.named(`POST /v1/models/${FAST}/run`)).toMatchObject([{ parent: 'modelrun.submit' }])
  })

  const isOf =
    (jobId: string) =>
    ({ attributes }: { attributes: object }) =>
      Reflect.get(attributes, 'gen_ai.response.id') === jobId
})
