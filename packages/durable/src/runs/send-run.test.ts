import { describe, expect, it } from 'vitest'
import { MODEL, openBatch, pass, settled, useVirtualTime } from '../../test/batch.ts'
import { type Fault, loop, openProcesses, type Process } from '../../test/processes.ts'
import { createSqliteEngine } from '../sqlite/sqlite-engine.ts'
import type { SendOptions } from './send-run.ts'

useVirtualTime()

const all = <Value>(work: readonly Promise<Value>[]) => settled(Promise.all(work))

const send = ({ runs }: Process, key: string, options: SendOptions = {}) =>
  settled(runs.send(key, MODEL, { prompt: key }, options))

describe('callers of one run', () => {
  it('of 20 at once in 4 processes, one sends, and all get the job', async () => {
    const { open, posts } = await openProcesses(1_000)
    const processes = Array.from({ length: 4 }, () => open())
    const calls = processes.flatMap(({ runs }) =>
      Array.from({ length: 5 }, () => runs.send('a', MODEL, { prompt: 'a' })),
    )
    const jobs = (await all(calls)).map(({ jobId }) => jobId)
    expect(jobs[0]).toEqual(expect.any(String))
    expect(new Set(jobs).size).toBe(1)
    expect(posts).toEqual({ a: 1 })
  })

  it('that do not wait get no job, and soon ask again', async () => {
    const { open } = await openProcesses()
    const [first, other] = [open({}, { request: () => 'dies before' }), open()]
    void first.runs.send('a', MODEL, { prompt: 'a' })
    await pass(10)
    const run = await send(other, 'a', { waitMs: 0 })
    expect(run).toEqual({ key: 'a', state: 'running', afterMs: expect.any(Number) })
    expect(run.afterMs).toBeLessThanOrEqual(1_000)
  })

  it('with another model or input get an error that is not to be repeated, also when both are new', async () => {
    const { open, posts } = await openProcesses()
    const process = open()
    const ends = await all(
      ['x', 'y'].map((prompt) => process.runs.send('a', MODEL, { prompt }).catch((error) => error)),
    )
    expect(ends).toContainEqual(expect.objectContaining({ name: 'ConfigurationError', isRetryable: false }))
    expect(Object.values(posts)).toEqual([1])
    await expect(settled(process.runs.read('never'))).rejects.toMatchObject({ name: 'ConfigurationError' })
    // The other one has added it, and died, after this one had read that it is new.
    const at = (fault: Fault) => ({ store: (change: string) => (change === 'add runs:submit' ? fault : undefined) })
    const late = open({}, at('hangs')).runs.send('b', MODEL, { prompt: 'x' })
    void open({}, at('dies after')).runs.send('b', MODEL, { prompt: 'y' })
    await expect(settled(late)).rejects.toMatchObject({ name: 'ConfigurationError' })
    expect(Object.values(posts)).toEqual([1])
  })

  it('60 loops at 10 polls a second make at most 4 calls a run', async () => {
    const { open, posts } = await openProcesses(300)
    const process = open()
    const ended = await all(Array.from({ length: 60 }, (_, index) => loop(process, `k${index}`)))
    expect(ended.every(({ run }) => run.state === 'succeeded')).toBe(true)
    expect(ended.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThanOrEqual(240)
    expect(Object.values(posts)).toEqual(Array.from({ length: 60 }, () => 1))
  })
})

describe('a run by send', () => {
  it('is encoded in the store, and decoded in each call', async () => {
    const encoded: string[] = []
    const codec = {
      encode: (text: string) => `${encoded.push(text) - 1}`,
      decode: (stored: string) => encoded[Number(stored)] ?? '',
    }
    const { runs, sent } = await openBatch({ engine: createSqliteEngine({ path: ':memory:', codec }) })
    const { run } = await settled(loop({ runs }, 'a'))
    expect(run).toMatchObject({ state: 'succeeded', output: { type: 'image' } })
    await expect(settled(runs.send('a', MODEL, { prompt: 'other' }))).rejects.toThrow('that of another run')
    expect([sent, encoded.some((text) => text.includes('"prompt":"a"'))]).toEqual([['a'], true])
  })

  it('is ended by the delivery to the inbox of its batch, and the batch polls nothing', async () => {
    const webhooks = { publicUrl: 'https://app.example.com/webhooks', secret: 'a secret of thirty-two bytes, or more' }
    const { server, runs, sent, polled } = await openBatch({ webhooks })
    server.webhooks.deliver((request) => runs.inbox?.handle(request) ?? Promise.reject(new Error('no inbox')))
    const named = runs.send('a', MODEL, { prompt: 'a' }, { webhookUrl: 'https://app.example.com/other' })
    await expect(settled(named)).rejects.toThrow('leave `webhookUrl` out')
    expect(await settled(runs.send('a', MODEL, { prompt: 'a' }))).toMatchObject({ state: 'running' })
    await pass(5_000)
    await settled(runs.sweep())
    expect(await settled(runs.send('a', MODEL, { prompt: 'a' }))).toMatchObject({ state: 'succeeded' })
    // A delivery is a hint: the inbox has read the job.
    expect([sent, polled.length]).toEqual([['a'], 1])
  })
})

describe('a run that is not accepted', () => {
  it('is rejected for its input and for the budget of all callers, and is sent once there is one', async () => {
    const { open, posts } = await openProcesses()
    const poor = open({ maxCredits: 7 })
    expect(await send(poor, 'a')).toMatchObject({ state: 'running' })
    expect(await send(poor, 'b')).toMatchObject({ state: 'rejected', error: { code: 'BUDGET_EXCEEDED' } })
    expect(await send(open({ maxCredits: 8 }), 'b')).toMatchObject({ state: 'running' })
    const wrong = settled(poor.runs.send('c', MODEL, { prompt: 'c', num_images: 99 }))
    expect(await wrong).toMatchObject({ state: 'rejected' })
    expect(posts).toMatchObject({ a: 1, b: 1 })
  })

  it.each([
    ['rate-limit', 'rate_limited'],
    ['unavailable', 'server_error'],
  ] as const)('waits as long as the service says (%s), in all processes, and holds no place', async (kind, code) => {
    const { server, open, posts } = await openProcesses()
    server.faults.add({ kind, route: 'runModel', retry_after: 7, times: 1 })
    const process = open({ maxRunning: 1 })
    const afterMs = expect.toSatisfy((ms) => ms > 5_000 && ms <= 7_000)
    expect(await send(process, 'a')).toMatchObject({ state: 'waiting', error: { code }, afterMs })
    expect([(await send(open(), 'b')).state, posts]).toEqual(['waiting', { a: 1 }])
    for (const key of ['b', 'a']) expect((await settled(loop(process, key))).run.state).toBe('succeeded')
  })

  it('says why it waits while the key is not valid, hides a price that is limited, or the batch is paused', async () => {
    const { server, open, posts } = await openProcesses()
    server.limitKey(server.apiKey, { permissions: ['models:read', 'jobs:read'] })
    for (const key of ['a', 'b']) {
      const afterMs = expect.toSatisfy((ms) => ms <= 30_000)
      expect(await send(open(), key)).toMatchObject({ state: 'waiting', error: { code: 'permission_denied' }, afterMs })
    }
    server.limitKey(server.apiKey, { permissions: ['models:run', 'jobs:read'] })
    expect(await send(open({ name: 'limited', maxCredits: 8 }), 'a')).toMatchObject({ state: 'waiting' })
    expect(posts).toEqual({ a: 1 })
    expect(await send(open({ name: 'unlimited' }), 'x')).toMatchObject({ state: 'running' })
    const process = open({ name: 'other' })
    await settled(process.runs.pause())
    expect(await send(process, 'c')).toMatchObject({ state: 'waiting', afterMs: 300_000, error: { code: 'PAUSED' } })
    expect(await settled(process.runs.read('c'))).toMatchObject({ state: 'waiting', error: { code: 'PAUSED' } })
    expect(posts).toEqual({ a: 1, x: 1 })
  })

  it('is cancelled before it is sent, and aborted by its caller', async () => {
    const { open, posts } = await openProcesses()
    const process = open()
    await settled(process.runs.add('a', MODEL, { prompt: 'a' }))
    expect(await settled(process.runs.cancel('a'))).toBe('cancelled')
    expect(await send(process, 'a')).toMatchObject({ state: 'cancelled' })
    const aborted = send(process, 'b', { signal: AbortSignal.abort() })
    await expect(aborted).rejects.toMatchObject({ name: 'AbortedError', submission: 'not_sent' })
    expect(posts).toEqual({})
  })
})

describe('a store that is away', () => {
  const away = (changes: RegExp) => ({ store: (change: string): Fault => (changes.test(change) ? 'fails' : undefined) })

  it('before the mark lets the call reject, and the same call later sends', async () => {
    const { open, posts } = await openProcesses()
    const process = open({}, away(/runs/))
    await expect(send(process, 'a')).rejects.toThrow('The connection is refused.')
    expect(posts).toEqual({})
    process.faults = {}
    expect(await send(process, 'a')).toMatchObject({ state: 'running', jobId: expect.any(String) })
  })

  it.each([
    { lastsMs: 1_000, end: 'succeeded' },
    { lastsMs: 10_000, end: 'unknown' },
  ])('after the POST for $lastsMs ms returns the job, and the run is $end', async ({ lastsMs, end }) => {
    const { open, posts } = await openProcesses()
    const [process, other] = [open(), open()]
    process.faults = {
      request: (route) => {
        if (route === 'POST') process.faults = away(/runs/)
        return undefined
      },
    }
    const sent = process.runs.send('a', MODEL, { prompt: 'a' })
    await pass(lastsMs)
    // Another caller parks the run in the outage of the first one, once its lock is over.
    if (end === 'unknown') expect(await settled(other.runs.read('a'))).toMatchObject({ state: 'unknown' })
    process.faults = {}
    const { jobId } = await settled(sent)
    expect(jobId).toEqual(expect.any(String))
    await pass(6_000)
    expect(await settled(other.runs.read('a', end === 'unknown' ? { jobId } : {}))).toMatchObject({ jobId })
    expect((await settled(loop(other, 'a'))).run.state).toBe('succeeded')
    await settled(other.runs.add('b', MODEL, { prompt: 'b' }))
    expect([posts, (await settled(other.runs.progress())).unknown]).toEqual([{ a: 1 }, 0])
  })
})

describe('reading a run', () => {
  it('never sends it, and polls before the time only after a hint, which the rate limits', async () => {
    const { open, posts, polls } = await openProcesses(2_000)
    const process = open({ pollRate: { max: 1, perMs: 10_000 } })
    await settled(process.runs.add('a', MODEL, { prompt: 'a' }))
    expect(await settled(process.runs.read('a'))).toMatchObject({ state: 'waiting' })
    expect(posts).toEqual({})
    await send(process, 'a')
    expect(await settled(process.runs.read('a'))).toMatchObject({ state: 'running', afterMs: 500 })
    expect(polls()).toBe(0)
    await settled(process.runs.read('a', { isHinted: true }))
    const limited = await settled(process.runs.read('a', { isHinted: true }))
    expect([polls(), limited.afterMs ?? 0]).toEqual([1, expect.closeTo(10_000, -3)])
    const dying = open({}, { store: (at) => (at === 'markStarted runs:submit' ? 'dies before' : undefined) })
    void dying.runs.send('b', MODEL, { prompt: 'b' })
    await pass(10_000)
    await settled(process.runs.read('b'))
    expect(posts).toEqual({ a: 1 })
  })

  it('by six readers that die in their GET loses nothing', async () => {
    const { open, posts } = await openProcesses(1_000)
    await send(open(), 'a')
    for (let reader = 0; reader < 6; reader += 1) {
      await pass(5_000)
      void open({}, { request: (route) => (route === 'GET job' ? 'dies before' : undefined) }).runs.read('a')
      await pass(1_000)
    }
    expect((await settled(loop(open(), 'a'))).run.state).toBe('succeeded')
    expect(posts).toEqual({ a: 1 })
  })
})
