import { describe, expect, it } from 'vitest'
import { apiCaller, openServer } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

const SLOW_MODEL = 'lumen/aurora-video' // 90 s

/** A run that is held, polled, delivered to a receiver that polls in its turn, and asked for once more. */
async function liveThrough(port: number) {
  const server = createReferenceServer({
    clock: 'manual',
    deliver: async () => {
      await caller.status(jobId)
      return new Response(null, { status: 204 })
    },
  })
  const caller = apiCaller(server)
  const webhook_url = `http://127.0.0.1:${port}/hook?token=secret`
  const { body } = await caller.run(SLOW_MODEL, { sync: false, webhook_url })
  const jobId = String(body.job_id)
  await server.clock.advance(5_000)
  await caller.status(jobId)
  await server.clock.advance(90_000)
  await caller.delete(`/v1/jobs/${jobId}`)
  return { server, jobId, story: server.story(jobId) }
}

describe('the story of a job', () => {
  it('has requests, changes, credits and deliveries in order, without secrets', async () => {
    const { story } = await liveThrough(4_001)
    expect((await liveThrough(4_002)).story).toBe(story)
    expect(story).toMatchInlineSnapshot(`
      "job_i9yn9e5errx3uwooqhreuhdb lumen/aurora-video, 60 credits
             +0 ms  POST /v1/models/lumen%2Faurora-video/run {"input":{"prompt":"a red fox"},"sync":false,"webhook_url":"http://127.0.0.1:*/hook?[redacted]"} -> 202 queued
             +0 ms  job created, queued: 60 credits reserved
           +200 ms  job queued -> processing
          +5000 ms  GET /v1/jobs/job_i9yn9e5errx3uwooqhreuhdb -> 200 processing
         +90200 ms  job processing -> succeeded: 60 credits charged
         +90200 ms  webhook to http://127.0.0.1:*/hook?[redacted] -> delivered 204
         +90200 ms  GET /v1/jobs/job_i9yn9e5errx3uwooqhreuhdb -> 200 succeeded
         +95000 ms  DELETE /v1/jobs/job_i9yn9e5errx3uwooqhreuhdb -> 409 succeeded CONFLICT
      In the end: succeeded, 60 credits charged."
    `)
  })

  it('says how far a job is that has not ended', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const { body } = await apiCaller(server).run(SLOW_MODEL, { sync: false })
    await server.clock.advance(3_000)
    const lines = server.story(String(body.job_id)).split('\n')
    expect(lines.at(-2)).toMatch(/^ +\+200 ms {2}job queued -> processing$/)
    expect(lines.at(-1)).toBe('So far, after 3000 ms: processing.')
  })

  it('covers a failed job, and a job that is no longer stored', async () => {
    const { server, caller } = openServer({ clock: 'manual', retention: { finishedJobs: 1 } })
    server.script('aurora-image', [{ result: 'failed', after_ms: 0 }])
    const { body } = await caller.run('aurora-image')
    const id = String(body.job_id)
    const ofJob = server.story(id)
    expect(ofJob).toMatch(/job processing -> failed PROVIDER_FAILURE: 4 credits given back/)
    expect(ofJob).toMatch(/POST .* -> 502 failed PROVIDER_FAILURE\n/)
    expect(ofJob).toMatch(/\nIn the end: failed, nothing charged\.$/)
    server.script('aurora-image', [{ result: 'succeeded', after_ms: 0 }])
    await caller.run('aurora-image')
    expect((await caller.get(`/v1/jobs/${id}`)).status).toBe(404)
    expect(server.story(id)).toBe(ofJob)
  })

  it('throws for a job that the journal does not know, such as one before a reset', async () => {
    const { server, jobId } = await liveThrough(4_004)
    server.reset()
    expect(() => server.story(jobId)).toThrow(`The journal knows nothing of a job "${jobId}"`)
  })
})
