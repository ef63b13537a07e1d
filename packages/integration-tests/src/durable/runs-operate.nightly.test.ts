import { createRuns } from '@modelrun/durable'
import { expect, it } from 'vitest'
import { finish, MODEL, setUpRuns } from './runs-harness.ts'
import { posts } from './sent-runs.ts'

const PRICE = 4
const GONE = { error: { code: 'GONE', message: 'gone' } }
const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `key-${index}`)

it('never sends a run that was cancelled while it waited, also when its key is added again', async () => {
  const { server, runs } = await setUpRuns()
  for (const key of ['a', 'b']) await runs.add(key, MODEL, { prompt: key })
  expect(await runs.cancel('a')).toBe('cancelled')
  expect(await runs.cancel('a')).toBe('cancelled')
  expect(await runs.cancel('never')).toBe('missing')
  expect(await runs.get('a')).toMatchObject({ state: 'cancelled', model: MODEL, input: { prompt: 'a' } })
  expect(await runs.progress()).toMatchObject({ total: 2, waiting: 1, done: 1, running: 0, unknown: 0 })
  await runs.add('a', MODEL, { prompt: 'a' })
  const finished = await finish(runs)
  expect(finished.map(({ key, state }) => `${key} ${state}`).toSorted()).toEqual(['a cancelled', 'b succeeded'])
  expect(await runs.progress()).toMatchObject({ total: 2, waiting: 0, done: 2, running: 0, unknown: 0, credits: PRICE })
  expect(posts(server)).toEqual({ b: 1 })
  expect(await runs.cancel('b')).toBe('ended')
})

it('waits for a run that is being sent, and cancels its job', async () => {
  const { server, runs } = await setUpRuns({ latency: 60_000 })
  server.faults.add({ kind: 'slow-headers', route: 'runModel', delay_ms: 500, times: 1 })
  await runs.add('a', MODEL, { prompt: 'a' })
  runs.start()
  await expect.poll(() => runs.get('a')).toMatchObject({ state: 'running' })
  expect(await runs.cancel('a')).toBe('cancelled')
  expect(await finish(runs)).toMatchObject([{ key: 'a', state: 'cancelled' }])
  expect(posts(server)).toEqual({ a: 1 })
})

it('cancels a whole batch, and sends what is added later', async () => {
  const { server, runs } = await setUpRuns({ latency: 60_000, concurrency: 3, submitRate: { max: 20, perMs: 1_000 } })
  const before = server.credits()
  const keys = keysOf(150)
  for (const key of keys) await runs.add(key, MODEL, { prompt: key })
  runs.start()
  await expect.poll(async () => Object.keys(posts(server)).length).toBeGreaterThan(3)
  const counts = await runs.cancelAll()
  expect(counts).toMatchObject({ sending: 0, unknown: 0, failed: 0 })
  expect(counts.cancelled + counts.ended).toBe(150)
  const sent = Object.keys(posts(server)).length
  expect((await finish(runs)).every(({ state }) => state === 'cancelled')).toBe(true)
  expect(await runs.progress()).toMatchObject({ total: 150, done: 150, isPaused: false, credits: 0 })
  expect([Object.keys(posts(server)).length, server.credits()]).toEqual([sent, before])
  await runs.add('later', MODEL, { prompt: 'later' })
  await expect.poll(() => runs.get('later')).toMatchObject({ state: 'running', jobId: expect.any(String) })
})

it('pauses in all processes, says so, and ends a pause only when its user does', async () => {
  const { server, runs, engine, client } = await setUpRuns()
  const other = createRuns({ engine, client })
  await runs.pause()
  await runs.pause()
  for (const key of ['a', 'b']) await runs.add(key, MODEL, { prompt: key })
  runs.start()
  other.start()
  await expect.poll(async () => (await other.progress()).oldestDueMs).toBeGreaterThan(300)
  expect(await runs.cancel('b')).toBe('cancelled')
  await runs.cancelAll()
  expect(await other.progress()).toMatchObject({ total: 2, waiting: 0, done: 2, isPaused: true })
  await runs.add('c', MODEL, { prompt: 'c' })
  expect(posts(server)).toEqual({})
  await other.resume()
  expect((await finish(runs)).find(({ key }) => key === 'c')).toMatchObject({ state: 'succeeded' })
  expect(await runs.progress()).toMatchObject({ isPaused: false, oldestDueMs: 0 })
  await other.stop()
})

it('retries failed, rejected and cancelled runs under their keys, each as a new paid run', async () => {
  const { server, runs } = await setUpRuns()
  server.script(MODEL, [{ result: 'failed', error: { code: 'PROVIDER_FAILURE', message: 'out of paint' } }])
  await runs.add('fails', MODEL, { prompt: 'fails' })
  await finish(runs)
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
  await runs.add('lost', MODEL, { prompt: 'lost' })
  await finish(runs)
  await runs.stop()
  await runs.add('cancelled', MODEL, { prompt: 'cancelled' })
  await runs.cancel('cancelled')
  expect(await Promise.all(['fails', 'cancelled', 'lost', 'never'].map((key) => runs.retry(key)))).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(await runs.retry('fails')).toBe(false) // it waits
  expect(await runs.progress()).toMatchObject({ total: 3, waiting: 2, running: 0, done: 0, unknown: 1 })
  const ends = (await finish(runs)).map(({ key, state }) => `${key} ${state}`)
  expect(ends.toSorted()).toEqual(['cancelled cancelled', 'cancelled succeeded', 'fails failed', 'fails succeeded'])
  expect(await runs.get('fails')).toMatchObject({ key: 'fails', state: 'succeeded' })
  expect(await runs.retry('fails')).toBe(false) // it succeeded
  expect(await runs.progress()).toMatchObject({ total: 3, done: 2, unknown: 1 })
  expect(posts(server)).toEqual({ fails: 2, lost: 1, cancelled: 1 })
  const several = await Promise.all(Array.from({ length: 4 }, () => runs.add('lost', MODEL, { prompt: 'lost' })))
  expect(several).toHaveLength(4)
})

it('counts no run twice in its progress', async () => {
  const { runs, engine } = await setUpRuns({ latency: 20 })
  const keys = keysOf(60)
  await Promise.all(keys.map((key) => runs.add(key, MODEL, { prompt: key })))
  runs.start()
  for (;;) {
    const { total, waiting, running, done, unknown } = await runs.progress()
    expect([total, waiting + running + done + unknown]).toEqual([60, 60])
    if (done === 60) break
  }
  // Also while a run that has a job is still in the queue of those to be sent.
  await engine.add('runs:submit', 'both', { data: { model: MODEL, input: {} } })
  await engine.add('runs:poll', 'both', { data: { model: MODEL, jobId: 'job', submittedAt: 0 } })
  expect(await runs.progress()).toMatchObject({ total: 61, done: 60 })
})

it('takes another run under a key of this batch for a mistake, and the same one for the same run', async () => {
  const { runs } = await setUpRuns()
  for (const key of ['', 'x'.repeat(301), 'a\u001eb']) {
    await expect(runs.add(key, MODEL, {})).rejects.toThrow(/The run key must/)
  }
  await runs.add('c', MODEL, { prompt: 'c', num_images: 1, size: undefined })
  await runs.add('c', MODEL, { num_images: 1, prompt: 'c' })
  await expect(runs.add('c', MODEL, { prompt: 'd' })).rejects.toThrow('The key c is that of another run in this batch')
  await expect(runs.add('c', 'other-model', { prompt: 'c', num_images: 1 })).rejects.toThrow('Nothing was sent')
  expect(await runs.progress()).toMatchObject({ total: 1 })
})

it('has at most maxRunning runs under way at the service, in all processes', async () => {
  const { server, runs, engine, client } = await setUpRuns({ latency: 30, maxRunning: 3 })
  const other = createRuns({ engine, client, maxRunning: 3 })
  for (const key of keysOf(15)) await runs.add(key, MODEL, { prompt: key })
  server.faults.add({ kind: 'rate-limit', route: 'runModel', retry_after: 1, times: 1 })
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
  server.script(MODEL, [{ result: 'failed', error: { code: 'PROVIDER_FAILURE', message: 'out of paint' } }])
  runs.start()
  other.start()
  let most = 0
  for (;;) {
    const places = await engine.total('runs:places')
    most = Math.max(most, places)
    const { done, unknown } = await runs.progress()
    if (done + unknown === 15 && places === 0) break
  }
  expect(most).toBe(3)
  expect(await runs.progress()).toMatchObject({ total: 15, done: 14, unknown: 1 })
  await other.stop()
})

it('sends a run again whose job is lost when its user names that job', async () => {
  const { server, runs } = await setUpRuns({
    intercept: ({ method, path }) =>
      method === 'GET' && path.endsWith('/jobs/job_gone') ? Response.json(GONE, { status: 410 }) : undefined,
  })
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
  await runs.add('a', MODEL, { prompt: 'a' })
  await finish(runs)
  await runs.resolve('a', { jobId: 'job_gone' })
  await finish(runs)
  expect(await runs.get('a')).toMatchObject({ state: 'unknown', jobId: 'job_gone' })
  expect(await Promise.all([runs.resubmit('a'), runs.resubmit('a', { lostJob: 'job_other' })])).toEqual([false, false])
  expect(posts(server)).toEqual({ a: 1 })
  expect(await runs.resubmit('a', { lostJob: 'job_gone' })).toBe(true)
  expect((await finish(runs)).at(-1)).toMatchObject({ key: 'a', state: 'succeeded' })
  expect(await runs.progress()).toMatchObject({ total: 1, done: 1, unknown: 0, credits: 2 * PRICE })
  expect(await runs.unknown()).toEqual([])
  expect(posts(server)).toEqual({ a: 2 })
})
