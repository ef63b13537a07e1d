import { describe, expect, it } from 'vitest'
import { apiCaller, MODEL, openServer } from '../../test/api-caller.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

const SLOW_MODEL = 'lumen/aurora-video' // 90 s

/** Polls a job until it ends; time that is paused would make it poll for ever. @returns the number of polls */
async function pollWithoutPause(server: ReferenceServer, model: string, between: () => unknown): Promise<number> {
  const caller = apiCaller(server)
  const { body } = await caller.run(model, { sync: false })
  const path = `${server.baseUrl}/v1/jobs/${String(body.job_id)}`
  const headers = { authorization: `Bearer ${server.apiKey}` }
  for (let polls = 1; polls < 10_000; polls++) {
    const { data } = await (await server.fetch(path, { headers })).json()
    if (data.status === 'succeeded') return polls
    await between()
  }
  throw new Error('Time is paused.')
}

describe('a client in this process that polls without a pause, on an auto clock', () => {
  it.each([
    ['nothing between its polls', () => undefined],
    ['a turn of the event loop between its polls', () => new Promise<void>((resolve) => setImmediate(resolve))],
    ['a microtask between its polls', () => Promise.resolve()],
  ])('sees its job end: %s', async (_, between) => {
    const server = createReferenceServer({ clock: 'auto' })
    expect(await pollWithoutPause(server, MODEL, between)).toBeLessThan(1_000)
    expect(await pollWithoutPause(server, SLOW_MODEL, between)).toBeLessThan(1_000)
  })

  it('is one of several, and all see their jobs end', async () => {
    const server = createReferenceServer({ clock: 'auto' })
    const clients = Array.from({ length: 20 }, () => pollWithoutPause(server, SLOW_MODEL, () => undefined))
    for (const polls of await Promise.all(clients)) expect(polls).toBeLessThan(5_000)
  })

  it('gets its response when its job hangs, although no time changes its status', async () => {
    const server = createReferenceServer({ clock: 'auto' })
    server.script(MODEL, [{ result: 'hang' }])
    const caller = apiCaller(server)
    const { body } = await caller.run(MODEL, { webhook_url: 'https://receiver.test/' })
    for (let poll = 0; poll < 300; poll++) expect(await caller.status(body.job_id)).toBe('processing')
  })

  it('is not held as long as it does something else', async () => {
    const { server, caller } = openServer({ clock: 'auto' })
    const start = server.clock.now()
    for (let count = 0; count < 100; count++) {
      const { body } = await caller.run(MODEL, { sync: false })
      await caller.status(body.job_id)
      for (let read = 0; read < 2; read++) await caller.get('/v1/models')
    }
    expect(server.clock.now()).toBe(start)
  })
})
