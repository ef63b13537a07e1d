import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { describe, expect, it } from 'vitest'
import { createCheckedServer } from './openapi/checked-server.ts'

const SLOW_MODEL = 'lumen/aurora-video' // 90 s

/** A client of a server with `auto` time, and what it sees in seconds of that time. */
function countRequests() {
  const server = createCheckedServer()
  const { fetch: serverFetch, ...options } = server.clientOptions()
  const start = server.clock.now()
  const seen: string[] = []
  const note = (what: string) => seen.push(`${Math.floor((server.clock.now() - start) / 1_000)} s: ${what}`)
  const countingFetch: typeof fetch = async (input, init) => {
    const response = await serverFetch(input, init)
    // The price, which is read while a job runs.
    if (/\/models\/[^/]+$/.test(String(input))) return response
    const { status, data } = await response.clone().json()
    note(`${init?.method ?? 'GET'} ${response.status} ${status ?? data?.status}`)
    return response
  }
  // Without jitter: no poll comes in the moment between the end of the job and its delivery.
  const client = new ModelRun({ ...options, fetch: countingFetch, random: () => 0.5 })
  const inbox = createInbox({ client, onSucceeded: () => note('handler') })
  server.webhooks.deliver((request) => {
    note('delivery')
    return inbox.handle(request)
  })
  return { server, client, inbox, seen }
}

describe('auto time', () => {
  it('runs hold, 202, polls and result, then webhook and handler, in their order and at their times', async () => {
    const { server, client, inbox, seen } = countRequests()
    const job = await client.submit(SLOW_MODEL, { prompt: 'waves' }, { webhookUrl: 'https://app.test/hook' })
    await client.run(SLOW_MODEL, { prompt: 'waves' })
    await inbox.waitFor(job.id)
    await inbox.drain()
    await server.close()
    const polls = seen.slice(2, -4)
    expect(polls.length).toBeGreaterThan(3)
    for (const poll of polls) expect(poll).toMatch(/^(5[5-9]|[678]\d) s: GET 200 processing$/)
    expect(seen.slice(0, 2)).toEqual(['0 s: POST 202 queued', '55 s: POST 202 processing'])
    expect(seen.slice(-4)).toEqual([
      '90 s: delivery',
      '90 s: GET 200 succeeded', // the inbox asks the service whether the delivery is true
      '90 s: handler',
      expect.stringMatching(/^9\d s: GET 200 succeeded$/), // the last poll of the run that was held
    ])
  })
})

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
