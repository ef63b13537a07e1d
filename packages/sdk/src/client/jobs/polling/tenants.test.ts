import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test, vi } from 'vitest'
import { createManualClock } from '../../../../test/manual-clock.ts'
import { ModelRun } from '../../client.ts'
import type { ModelRunOptions } from '../../options.ts'

const TENANTS = ['a', 'b', 'c'] as const

/** One client for three tenants, whose key, callbacks and log lines read the tenant from the async context. */
function setup() {
  const store = new AsyncLocalStorage<{ tenant: string }>()
  const clock = createManualClock()
  const now = () => store.getStore()?.tenant
  const seen: { what: string; owner: string | undefined; context: string | undefined }[] = []
  const note = (what: string, owner: string | undefined) => void seen.push({ what, owner, context: now() })
  const polls: Record<string, number> = {}
  const ownerIn = (text: string) => /job_of_(\w)/.exec(text)?.[1]
  const fetch = async (url: string, init: { method: string; headers: Record<string, string> }) => {
    const tenant = init.headers.authorization?.at(-1) ?? ''
    if (init.method === 'POST') return Response.json({ job_id: `job_of_${tenant}`, status: 'queued' })
    const owner = ownerIn(url) ?? ''
    note(`${init.method} with the key of ${tenant === owner ? 'its owner' : 'another'}`, owner)
    const count = (polls[owner] ?? 0) + 1
    polls[owner] = count
    if (init.method === 'DELETE') return Response.json({ status: 'cancelled' })
    return Response.json({
      data: { status: count > 3 ? 'succeeded' : `step ${count} of ${owner}`, output: { items: [] } },
    })
  }
  const warn = (line: string) => note('log', ownerIn(line))
  const client = new ModelRun({
    ...{ baseUrl: 'https://api.example.com', apiKey: () => `sk_test_00000000${now()}`, fetch, clock },
    logger: { debug: warn, info: warn, warn, error: warn },
    polling: {
      nextDelayMs: ({ jobId, defaultDelayMs }) => {
        note('nextDelayMs', ownerIn(jobId))
        return defaultDelayMs
      },
    },
  })
  const each = (work: (tenant: string) => Promise<unknown>) =>
    clock.run(Promise.all(TENANTS.map((tenant) => store.run({ tenant }, () => work(tenant)))))
  return { client, clock, seen, note, each, store }
}

const foreign = ({ seen }: ReturnType<typeof setup>) =>
  seen.filter(({ what, owner, context }) => owner !== context || what.includes('another'))

test('three tenants share a client, and each is polled with its own key, callbacks and log lines', async () => {
  const tenants = setup()
  const { client, each, note, seen } = tenants
  await each((tenant) => client.run('m', {}, { onStatus: () => note('onStatus', tenant) }))
  expect(foreign(tenants)).toEqual([])
  for (const what of ['GET with the key of its owner', 'nextDelayMs', 'log', 'onStatus']) {
    expect(new Set(seen.filter((one) => one.what === what).map(({ owner }) => owner))).toEqual(new Set(TENANTS))
  }
})

const READERS: Record<string, (now: () => string | undefined) => Partial<ModelRunOptions>> = {
  'a key': (now) => ({ apiKey: () => `sk_test_00000000${now()}`, fetch: jobOfA }),
  'a fetch': (now) => ({
    apiKey: 'sk_test_1',
    fetch: async (url) => await jobOfA(url, { headers: { authorization: `${now()}` } }),
  }),
  'a global fetch': (now) => {
    vi.stubGlobal('fetch', (url: string) => jobOfA(url, { headers: { authorization: `${now()}` } }))
    return { apiKey: 'sk_test_1' }
  },
}

async function jobOfA(url: string, { headers }: { headers: Record<string, string> }): Promise<Response> {
  const isOwn = headers.authorization?.endsWith(url.at(-1) ?? '')
  const error = { code: 'NOT_FOUND', message: 'There is no such job.' }
  return isOwn
    ? Response.json({ data: { status: 'succeeded', output: { items: [] } } })
    : Response.json({ error }, { status: 404 })
}

test.each(Object.entries(READERS))(
  '%s of the context decides who gets a job, also when another one waits first',
  async (_, of) => {
    const store = new AsyncLocalStorage<string>()
    const options = of(() => store.getStore())
    const client = new ModelRun({ baseUrl: 'https://api.example.com', logLevel: 'off', ...options })
    for (const order of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const waits = order.map((tenant) => store.run(tenant, () => client.jobs.attach('job_of_a').result()))
      const ends = await Promise.allSettled(waits)
      expect(ends.map(({ status }) => status === 'fulfilled')).toEqual(order.map((tenant) => tenant === 'a'))
    }
  },
)

test('a job is cancelled with the key of the tenant whose deadline has passed', async () => {
  const tenants = setup()
  const { client, each, clock, seen } = tenants
  await each((tenant) =>
    client.jobs
      .attach(`job_of_${tenant}`)
      .result({ deadlineMs: 10, onDeadline: 'cancel' })
      .catch(() => {}),
  )
  await clock.advance(10_000)
  expect(seen.filter(({ what }) => what.startsWith('DELETE'))).toHaveLength(3)
  expect(foreign(tenants)).toEqual([])
})

test('in Cloudflare Workers each wait has a timer of its own', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
  const { client, clock, store } = setup()
  vi.unstubAllGlobals()
  const runs = TENANTS.map((tenant) =>
    store.run({ tenant }, () => client.jobs.attach(`job_of_${tenant}`).result({ deadlineMs: 60_000 })),
  )
  await expect.poll(() => clock.timerCount).toBeGreaterThanOrEqual(TENANTS.length)
  await clock.run(Promise.all(runs))
  expect(clock.timerCount).toBe(0)
})
