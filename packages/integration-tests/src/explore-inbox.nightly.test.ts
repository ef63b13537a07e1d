import { explore, type ReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { describe, expect, it } from 'vitest'

const MODEL = 'aurora-image'
const SECRET = 'a secret of thirty-two bytes, or more'
const HOOK = 'https://app.test/hook'

/** An application that runs a model, receives its result in an inbox, and handles each job once. */
function application(server: ReferenceServer) {
  const client = new ModelRun({ ...server.clientOptions(), random: () => 0.5 }) // no jitter: each order repeats itself
  const handled: string[] = []
  const inbox = createInbox({
    client,
    secret: SECRET,
    publicUrl: HOOK,
    clock: server.clock,
    onSucceeded: ({ job_id }) => handled.push(job_id),
    onFailed: ({ job_id }) => handled.push(job_id),
    onUnknown: ({ job_id }) => handled.push(job_id),
  })
  server.webhooks.deliver((request) => inbox.handle(request))
  return { client, inbox, handled }
}

// Hundreds of orders, each with an inbox of its own.
describe('an application with an inbox, in every order of events', { timeout: 180_000 }, () => {
  it('handles each result once, also when it is delivered twice, before the 202 or after a poll', async () => {
    const { limit } = await explore(
      async (server) => {
        const { client, inbox, handled } = application(server)
        server.webhooks.script({ deliveries: 2 })
        const job = await client.submit(MODEL, { prompt: 'a red fox' }, { webhook: inbox })
        const [result, event] = await Promise.all([job.result(), inbox.waitFor(job.id)])
        for (let count = 0; count < 2; count++) await server.webhooks.next()
        await inbox.drain()
        expect(event).toMatchObject({ job_id: job.id, status: 'succeeded', output: result.output })
        expect(handled).toEqual([job.id])
        expect(server.credits()).toBe(9_996)
      },
      { maxRuns: 1_000 },
    )
    // Every order but those in which the job that is polled ends later still.
    expect(limit).toBe('maxDelay')
  })

  it('pays for a job or cancels it, and never both', async () => {
    const ends = new Set<string>()
    await explore(
      async (server) => {
        const { client, inbox, handled } = application(server)
        const job = await client.submit(MODEL, { prompt: 'a red fox' }, { webhook: inbox })
        const cancelled = await job.cancel().then(
          () => true,
          () => false,
        )
        const { status } = await client.jobs.get(job.id)
        if (status === 'succeeded') await inbox.waitFor(job.id)
        await inbox.drain()
        expect(handled).toEqual(status === 'succeeded' ? [job.id] : [])
        expect(server.credits()).toBe(status === 'succeeded' ? 9_996 : 10_000)
        ends.add(`${status}, cancelled: ${cancelled}`)
      },
      { maxRuns: 1_000 },
    )
    expect([...ends].toSorted()).toEqual(['cancelled, cancelled: true', 'succeeded, cancelled: false'])
  })
})
