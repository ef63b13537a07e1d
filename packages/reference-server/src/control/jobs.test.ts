import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

const MODEL = 'aurora-image'

async function withJob() {
  const server = createReferenceServer({ clock: 'manual' })
  const caller = apiCaller(server)
  const { body } = await caller.run(MODEL, { sync: false })
  return { server, caller, id: String(body.job_id), path: `/_reference/jobs/${body.job_id}` }
}

describe('jobs over the control API', () => {
  it('are shown', async () => {
    const { caller, id, path } = await withJob()
    const { body } = await caller.get(path)
    expect(body).toMatchObject({ job_id: id, model_id: MODEL, status: 'queued', input: { prompt: 'a red fox' } })
  })

  it('are completed with the files of the server or a given output, and charged', async () => {
    const { server, caller, id, path } = await withJob()
    const output = { type: 'image', items: [{ type: 'image', url: 'https://a.test/1.png' }] }
    expect((await caller.post(`${path}/complete`, { output })).body).toMatchObject({ status: 'succeeded', output })
    expect((await caller.get(`/v1/jobs/${id}`)).body).toEqual({ data: { status: 'succeeded', output } })
    expect(server.credits()).toBe(9_996)
  })

  it('are failed with a code and a message, or with the default ones', async () => {
    const { caller, id, path } = await withJob()
    await caller.post(`${path}/fail`, { code: 'NSFW', message: 'Not this.' })
    const error = { code: 'NSFW', message: 'Not this.' }
    expect((await caller.get(`/v1/jobs/${id}`)).body).toEqual({ data: { status: 'failed', error } })
    const other = await withJob()
    expect((await other.caller.post(`${other.path}/fail`, {})).body.status).toBe('failed')
  })

  it('are rejected when the job does not exist or has ended, and when the output is invalid', async () => {
    const { caller, path } = await withJob()
    expect((await caller.get('/_reference/jobs/job_none')).status).toBe(404)
    expect((await caller.post(`${path}/complete`, { output: { type: 'image' } })).status).toBe(400)
    await caller.post(`${path}/complete`, {})
    const again = await caller.post(`${path}/fail`, {})
    expect([again.status, errorOf(again).message]).toEqual([409, expect.stringContaining('already ended')])
  })
})
