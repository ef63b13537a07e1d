import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf, MODEL, openServer } from '../../test/api-caller.ts'
import type { ReferenceServerOptions } from '../service/options.ts'

async function withJob(options: ReferenceServerOptions = {}) {
  const { server, caller } = openServer({ clock: 'manual', ...options })
  const { body } = await caller.run(MODEL, { sync: false })
  const path = `/v1/jobs/${String(body.job_id)}`
  return { server, caller, path, jobId: String(body.job_id) }
}

describe('GET /v1/jobs/{id}', () => {
  it('asks the provider: a job that only reads end has ended after so many (sections 3 and 4.4)', async () => {
    const { server, caller } = openServer({ clock: 'manual' })
    server.script(MODEL, [{ result: 'succeeded', after_polls: 2 }])
    const { body } = await caller.run(MODEL, { sync: false })
    const statuses = [1, 2, 3, 4].map(() => caller.status(body.job_id))
    expect(await Promise.all(statuses)).toEqual(['processing', 'processing', 'succeeded', 'succeeded'])
  })

  it('responds with 404 NOT_FOUND to an unknown job and to one of another account', async () => {
    const { server, caller, path } = await withJob()
    const otherAccount = apiCaller(server, server.createKey().key)
    for (const response of [
      await caller.get('/v1/jobs/job_none'),
      await otherAccount.get(path),
      await otherAccount.delete(path),
    ]) {
      expect([response.status, errorOf(response).code]).toEqual([404, 'NOT_FOUND'])
    }
    const renewed = apiCaller(server, server.rotateKey(server.apiKey).key)
    expect((await renewed.get(path)).status).toBe(200)
  })
})

it.each(['succeeded', 'failed', 'cancelled'] as const)(
  'DELETE /v1/jobs/{id} responds with 409 CONFLICT to a %s job (section 3)',
  async (end) => {
    const { server, caller, path, jobId } = await withJob()
    if (end === 'succeeded') await server.clock.advance(4_200) // its status was not read
    if (end === 'failed') server.job(jobId).fail()
    if (end === 'cancelled') await caller.delete(path)
    const left = server.credits()
    const response = await caller.delete(path)
    expect([response.status, errorOf(response)]).toEqual([
      409,
      { code: 'CONFLICT', message: expect.stringContaining(end) },
    ])
    expect(server.job(jobId).status).toBe(end)
    expect(server.credits()).toBe(left)
  },
)
