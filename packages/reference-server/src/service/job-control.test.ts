import { describe, expect, it } from 'vitest'
import { MODEL, openServer } from '../../test/api-caller.ts'

async function withJob() {
  const { server, caller } = openServer({ clock: 'manual' })
  const { body } = await caller.run(MODEL, { sync: false })
  return { server, caller, body, job: server.job(String(body.job_id)) }
}

describe('server.job', () => {
  it('shows a job as it is now', async () => {
    const { server, body, job } = await withJob()
    expect(job).toMatchObject({ id: body.job_id, requestId: body.request_id, modelId: MODEL, status: 'queued' })
    expect(job.input).toMatchObject({ prompt: 'a red fox' })
    expect(job.output).toBeUndefined()
    await server.clock.advance(60_000)
    expect(job.status).toBe('succeeded')
    expect(job.output?.items).toHaveLength(1)
  })

  it('stores a copy of the output', async () => {
    const { job } = await withJob()
    const output = { type: 'image', items: [{ type: 'image', url: 'https://a.test/1' }] }
    job.complete(output)
    output.items.pop()
    expect(job.output?.items).toHaveLength(1)
  })

  it('rejects unknown ids and an invalid output', async () => {
    const { server, job } = await withJob()
    expect(() => server.job('job_none')).toThrow('There is no job "job_none"')
    const wrong = JSON.parse('{"type":"image","items":[{"type":"image"}]}')
    expect(() => job.complete(wrong)).toThrow('/items/0/url is missing')
    expect(() => job.complete(null as never)).toThrow('must be an object, not null')
    expect(() => job.fail(42 as never)).toThrow('/code must be a string')
    expect(job.status).toBe('queued')
  })
})
