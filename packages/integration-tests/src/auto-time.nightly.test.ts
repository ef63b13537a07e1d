import { setImmediate } from 'node:timers/promises'
import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { describe, expect, it } from 'vitest'
import { createCountedClock } from './counted-clock.ts'
import { createCheckedServer } from './openapi/checked-server.ts'

describe('an inbox in memory', () => {
  const start = () => {
    const server = createCheckedServer()
    const client = new ModelRun(server.clientOptions())
    return { server, client }
  }

  it('has the time of its client: a delivery that is lost is found by a poll, and a handler that throws runs again', async () => {
    const { server, client } = start()
    const attempts: number[] = []
    const inbox = createInbox({
      client,
      secret: 'a secret of tests that has 32 bytes or more',
      publicUrl: 'https://app.test/hook',
      onHandlerError: () => {},
      onSucceeded: (_event, { attempt }) => {
        attempts.push(attempt)
        if (attempt < 3) throw new Error('not yet')
      },
    })
    server.webhooks.deliver((request) => inbox.handle(request))
    server.webhooks.script({ deliveries: 0 })
    const job = await client.submit('aurora-image', { prompt: 'waves' }, { webhook: inbox })
    await inbox.waitFor(job.id)
    expect(attempts).toEqual([1, 2, 3])
    expect(server.clock.now() - Date.parse('2026-01-01')).toBeGreaterThan(60_000)
    await server.close()
  })

  it('that was started keeps no timer when nothing is left to do, so that time is paused', async () => {
    const { server } = start()
    const { clock, pending, count } = createCountedClock(server.clock)
    const client = new ModelRun({ ...server.clientOptions(), clock })
    const inbox = createInbox({ client, onSucceeded: () => {} })
    inbox.start()
    await client.run('aurora-image', { prompt: 'waves' })
    await expect.poll(pending).toBe(0)
    const before = count()
    for (let turn = 0; turn < 200; turn++) await setImmediate()
    expect([pending(), count() - before]).toEqual([0, 0])
    await inbox.drain()
    await server.close()
  })
})
