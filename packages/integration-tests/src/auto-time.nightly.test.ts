import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { describe, expect, it } from 'vitest'
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

  it('that was started does not keep time moving when nothing is left to do', async () => {
    const { server, client } = start()
    const inbox = createInbox({ client, onSucceeded: () => {} })
    inbox.start()
    await client.run('aurora-image', { prompt: 'waves' })
    const now = server.clock.now()
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(server.clock.now()).toBe(now)
    await inbox.drain()
    await server.close()
  })
})
