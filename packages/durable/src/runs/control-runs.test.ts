import { ModelRun } from 'modelrun'
import { describe, expect, it, test, vi } from 'vitest'
import { MODEL, openBatch, pass, settled, useVirtualTime } from '../../test/batch.ts'
import { type Faults, openProcesses } from '../../test/processes.ts'
import { createRuns } from './create-runs.ts'
import type { Runs } from './runs-options.ts'

useVirtualTime()

test('each end is counted apart, and a run has its times and the id of its request', async () => {
  const ends: unknown[] = []
  const { server, runs } = await openBatch({ jobMs: 5_000, onEnd: (run) => ends.push(run) })
  server.script(MODEL, [{ result: 'failed' }])
  runs.start()
  const addedAt = Date.now()
  await settled(runs.add('failed', MODEL, { prompt: 'a' }))
  await pass(6_000)
  await settled(runs.add('rejected', 'no-such-model', { prompt: 'a' }))
  await settled(runs.add('cancelled', MODEL, { prompt: 'a' }))
  await pass(2_000)
  expect(await settled(runs.cancel('cancelled'))).toBe('cancelled')
  await settled(runs.add('succeeded', MODEL, { prompt: 'a' }))
  await pass(10_000)
  const counts = { done: 4, succeeded: 1, failed: 1, cancelled: 1, rejected: 1, unknown: 0 }
  expect(await settled(runs.progress())).toMatchObject(counts)
  const [rejected, ...others] = ['rejected', 'failed', 'cancelled', 'succeeded'].map((state) => ({ key: state, state }))
  expect(ends).toMatchObject([rejected, ...others.map((end) => ({ ...end, jobId: expect.any(String) }))])
  const run = await settled(runs.get('failed'))
  expect(run).toMatchObject({ addedAt, requestId: expect.any(String) })
  expect(run?.sentAt).toBeGreaterThanOrEqual(addedAt)
  expect(run?.endedAt).toBeGreaterThan(addedAt + 5_000)
  expect(await settled(runs.retry('failed'))).toBe(true)
  await pass(10_000)
  expect(await settled(runs.progress())).toMatchObject({ ...counts, succeeded: 2, failed: 0 })
  await settled(runs.stop())
})

test('only the job says how a cancelled run ended: a result that is there is kept', async () => {
  const { server, engine, runs } = await openBatch({ jobMs: 3_000 })
  const service = server.clientOptions()
  const client = new ModelRun({
    ...service,
    clock: undefined,
    fetch: async (url, init) =>
      init?.method === 'DELETE' ? new Response(null, { status: 204 }) : await service.fetch(url, init),
  })
  runs.start()
  await settled(runs.add('a', MODEL, { prompt: 'a' }))
  await pass(1_000)
  await settled(runs.stop())
  await pass(5_000)
  expect(await settled(createRuns({ engine, client }).cancel('a'))).toBe('ended')
  expect(await settled(runs.get('a'))).toMatchObject({ state: 'succeeded', output: { type: 'image' } })
  expect(await settled(runs.progress())).toMatchObject({ credits: 4, cancelled: 0 })
})

test.each([
  { limit: 'a limit of a batch', options: { maxCredits: 20 }, agreed: {}, first: 1, credits: 4 },
  { limit: 'a limit of a run', options: {}, agreed: { maxCredits: 10 }, first: 1, credits: 4 },
  { limit: 'no limit', options: {}, agreed: {}, first: Number.POSITIVE_INFINITY, credits: 0 },
])(
  'with $limit, the price that is paid is counted if it is a number, and counted again without a pause when it rose',
  async ({ options, agreed, first, credits }) => {
    const { engine, client, sent } = await openBatch()
    const prices = [first]
    const models = {
      get: async (id: string) => {
        const model = await client.models.get(id)
        return { ...model, pricing: { credits_per_run: prices.shift() ?? model.pricing.credits_per_run } }
      },
    }
    const member = (name: keyof ModelRun) => (name === 'submit' ? client.submit.bind(client) : client[name])
    const stale = new Proxy(client, { get: (_, name: keyof ModelRun) => (name === 'models' ? models : member(name)) })
    const pauses: Error[] = []
    const runs = createRuns({ ...options, engine, client: stale, onPause: (reason) => pauses.push(reason) })
    runs.start()
    await settled(runs.add('a', MODEL, { prompt: 'a' }, agreed))
    await pass(10_000)
    expect(await settled(runs.get('a'))).toMatchObject({ state: 'succeeded' })
    expect([prices, pauses, sent.length, (await settled(runs.progress())).credits]).toEqual([[], [], 1, credits])
    await settled(runs.stop())
  },
)

async function drain(list: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of list);
}

type Call = (runs: Runs, signal: AbortSignal) => Promise<unknown>

const CALLS: [name: string, call: Call][] = [
  ['send', (runs, signal) => runs.send('a', MODEL, { prompt: 'a' }, { maxCredits: 5, signal })],
  ['runEach', (runs, signal) => drain(runs.runEach(MODEL, [{ key: 'a', input: { prompt: 'a' } }], { signal }))],
  ['sweep', (runs, signal) => runs.sweep({ signal })],
  ['results', (runs, signal) => drain(runs.results({ signal }))],
]

/** The request, or change of the store, from which on everything of its kind hangs for two seconds. */
describe.each(['GET model', 'again', 'POST', 'get', 'lock', 'reserve', 'markStarted', 'the store after POST'])(
  'while %s hangs',
  (from) => {
    it.each(CALLS)('%s ends at once when it is aborted, and what was sent is stored later', async (name, call) => {
      const shared = await openProcesses(200)
      await settled(shared.open().runs.add('a', MODEL, { prompt: 'a' }))
      const startedAt = performance.now()
      let hangs = false
      let requests = 0
      const request: Faults['request'] = (at) => {
        requests += 1
        if (from.endsWith(at)) hangs = true
        // The second request reads the price again.
        return at === from || (from === 'again' && requests === 2) ? 'hangs' : undefined
      }
      const store: Faults['store'] = (at) => {
        if (at.startsWith(from)) hangs = true
        return hangs && performance.now() - startedAt < 2_000 ? 'hangs' : undefined
      }
      const { runs } = shared.open({ maxCredits: 5 }, { request, store })
      const controller = new AbortController()
      setTimeout(() => controller.abort(), 1_000)
      const end = await settled(call(runs, controller.signal).catch((error: unknown) => error))
      expect(performance.now() - startedAt).toBe(1_000)
      const mayBeSent = name === 'send' && from.endsWith('POST')
      const isMarked = mayBeSent || (name === 'send' && from === 'again')
      expect(end).toMatchObject(isMarked ? { state: 'running' } : { name: 'AbortedError', code: 'aborted' })
      await pass(300_000)
      const isUnsent = name === 'send' && !mayBeSent
      if (!isUnsent) await settled(shared.open().runs.sweep())
      const { state } = await settled(shared.open().runs.read('a'))
      const { credits } = await settled(shared.open().runs.progress())
      expect([state, shared.posts, credits]).toEqual(isUnsent ? ['waiting', {}, 0] : ['succeeded', { a: 1 }, 4])
    })
  },
)

test.each([
  ['hang', () => new Promise<Response>(() => {})],
  ['get 429 for ever', async () => new Response('', { status: 429, headers: { 'retry-after': '1' } })],
])('a batch that is stopped while its polls %s leaves no timer', async (_, poll) => {
  const { server, engine } = await openBatch()
  const service = server.clientOptions()
  const fetch: typeof globalThis.fetch = (url, init) =>
    init?.method === 'GET' && String(url).includes('/jobs/') ? poll() : service.fetch(url, init)
  const runs = createRuns({ engine, client: new ModelRun({ ...service, clock: undefined, fetch }) })
  runs.start()
  await settled(runs.add('a', MODEL, { prompt: 'a' }))
  await pass(1_000)
  const stoppedAt = performance.now()
  await settled(runs.stop())
  expect([performance.now() - stoppedAt, vi.getTimerCount()]).toEqual([0, 0])
  expect(await settled(runs.progress())).toMatchObject({ running: 1 })
})

test.each([
  ['empty', { job_id: '' }],
  ['missing', {}],
  ['null', { job_id: null }],
  ['a number', { job_id: 7 }],
  ['not of a URL', { job_id: '..' }],
  ['of a job that is not kept', { job_id: 'job_1' }],
])('a response with a whole output ends its run, although its job_id is %s', async (_, ids) => {
  const { server, engine } = await openBatch()
  const service = server.clientOptions()
  const output = { type: 'image', items: [{ type: 'image', url: 'https://files.example/a.png' }] }
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (init?.method === 'POST') return Response.json({ ...ids, status: 'completed', output })
    return await service.fetch(url, init)
  }
  const runs = createRuns({ engine, client: new ModelRun({ ...service, clock: undefined, fetch }) })
  runs.start()
  await settled(runs.add('a', MODEL, { prompt: 'a' }))
  await pass(5_000)
  expect(await settled(runs.get('a'))).toMatchObject({ state: 'succeeded', output })
  expect(await settled(runs.progress())).toMatchObject({ done: 1, running: 0, credits: 4 })
  await settled(runs.stop())
})

test('runs are listed page by page, and once for all attempts', async () => {
  const { server, runs } = await openBatch()
  server.script(MODEL, [{ result: 'failed' }])
  for (const key of ['a', 'b', 'c']) await settled(runs.add(key, MODEL, { prompt: key }))
  runs.start()
  await pass(5_000)
  await settled(runs.pause())
  expect((await settled(runs.list())).map(({ key, state }) => [key, state])).toEqual([
    ['a', 'failed'],
    ['b', 'succeeded'],
    ['c', 'succeeded'],
  ])
  expect(await settled(runs.retry('a'))).toBe(true)
  await settled(runs.add('d', MODEL, { prompt: 'd' }))
  const first = await settled(runs.list({ limit: 2 }))
  const rest = await settled(runs.list({ after: first.at(-1)?.cursor }))
  expect([...first, ...rest].map(({ key }) => key).toSorted()).toEqual(['a', 'b', 'c', 'd'])
  await settled(runs.stop())
})

test('a job is that of one run', async () => {
  const reported: string[] = []
  const { server, runs } = await openBatch({ onEnd: ({ key, state }) => reported.push(`${key} ${state}`) })
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 2 })
  for (const key of ['a', 'b']) await settled(runs.send(key, MODEL, { prompt: key }))
  expect((await settled(runs.unknown())).map(({ key }) => key)).toEqual(['a', 'b'])
  expect(reported).toEqual(['a unknown', 'b unknown'])
  const [jobId = '', other = ''] = server.requests({ route: 'runModel' }).map(({ job_id }) => job_id)
  const resolve = (key: string) => runs.resolve(key, { jobId }).catch(String)
  const ends = await settled(Promise.all([resolve('a'), resolve('b')]))
  expect(ends).toEqual([true, expect.stringContaining(`The job ${jobId} is that of the run a.`)])
  const taken = {
    name: 'ConfigurationError',
    message: `The job ${jobId} is that of the run a. The run b stays unknown.`,
  }
  await expect(settled(runs.resolve('b', { jobId }))).rejects.toMatchObject(taken)
  await settled(runs.sweep())
  await expect(settled(runs.resolve('b', { jobId }))).rejects.toMatchObject(taken)
  expect(await settled(runs.resolve('b', { jobId: other }))).toBe(true)
})

test('a cancel whose change of the store got no response is completed by the next one', async () => {
  const changes = ['add runs:outcomes', 'add runs:cancelled', 'release runs:credits', 'remove runs:poll']
  for (const at of changes) {
    const shared = await openProcesses(60_000)
    const [first, other] = [shared.open({ maxCredits: 4 }), shared.open({ maxCredits: 4 })]
    await settled(first.runs.send('a', MODEL, { prompt: 'a' }))
    first.faults = { store: (change) => (change === at ? 'loses the response' : undefined) }
    await expect(settled(first.runs.cancel('a'))).rejects.toThrow('reset')
    expect(await settled(other.runs.cancel('a'))).toBe('cancelled')
    expect(await settled(other.runs.progress())).toMatchObject({ credits: 0, cancelled: 1, succeeded: 0 })
    expect(await settled(other.runs.send('b', MODEL, { prompt: 'b' }))).toMatchObject({ state: 'running' })
  }
})

test('a job that the service has cancelled gives its credits back', async () => {
  const { server, runs } = await openBatch({ jobMs: 60_000, maxCredits: 4 })
  const { jobId = '' } = await settled(runs.send('a', MODEL, { prompt: 'a' }))
  await new ModelRun({ ...server.clientOptions(), clock: undefined }).jobs.cancel(jobId)
  await settled(runs.read('a', { isHinted: true }))
  expect(await settled(runs.progress())).toMatchObject({ cancelled: 1, credits: 0 })
})
