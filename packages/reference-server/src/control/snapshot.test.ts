import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

describe('snapshots over the control API', () => {
  it('may be larger than a request of the service', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const caller = apiCaller(server)
    const prompt = 'a fox '.repeat(30_000)
    for (let count = 0; count < 8; count++) await caller.run('aurora-image', { sync: false, input: { prompt } })
    const snapshot = server.snapshot()
    expect(JSON.stringify(snapshot).length).toBeGreaterThan(1024 * 1024)
    expect((await caller.post('/_reference/restore', snapshot)).status).toBe(200)
  })

  it('say what is wrong with one', async () => {
    const { call, post } = apiCaller(createReferenceServer())
    const wrong = await post('/_reference/restore', { format: 'modelrun-reference-server', version: 9 })
    expect([wrong.status, errorOf(wrong).message]).toEqual([400, expect.stringContaining('the version 9')])
    expect((await call('POST', '/_reference/restore', { body: '{' })).status).toBe(400)
    expect((await call('POST', '/_reference/restore')).status).toBe(400)
  })
})
