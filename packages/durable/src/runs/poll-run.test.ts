import { ModelRun } from 'modelrun'
import { describe, expect, test, vi } from 'vitest'
import { type Batch, MODEL, openBatch, pass, settled, setWallClock, useVirtualTime } from '../../test/batch.ts'
import { createRuns } from './create-runs.ts'
import type { Runs } from './runs-options.ts'

useVirtualTime()

const HOUR_MS = 3_600_000

const ends = new Map<string, () => void>()

/** Sends a run. Returns the milliseconds until its result is known. */
async function timeOfRun(runs: Runs, key: string): Promise<number> {
  const startedAt = performance.now()
  const end = new Promise<void>((resolve) => ends.set(key, resolve))
  await settled(runs.add(key, MODEL, { prompt: key }))
  await settled(end)
  return performance.now() - startedAt
}

async function sendFirst({ runs }: Batch, keys: readonly string[]): Promise<void> {
  runs.start()
  for (const key of keys) await timeOfRun(runs, key)
  await settled(runs.add('in flight', MODEL, { prompt: 'in flight' }))
  await pass(700)
  expect(await settled(runs.get('in flight'))).toMatchObject({ state: 'running' })
}

const stop = (stopMs: number) => async (batch: Batch) => {
  await settled(batch.runs.stop())
  await pass(stopMs)
  return batch.reopen()
}

async function sleepForAnHour({ runs }: Batch): Promise<Runs> {
  setWallClock(HOUR_MS)
  return runs
}

async function loseService({ runs, outage }: Batch): Promise<Runs> {
  outage.status = 503
  await pass(300_000)
  outage.status = undefined
  return runs
}

describe.each([3_000, 40_000])('jobs of %i ms', (jobMs) => {
  async function timesAfter(disturb: (batch: Batch) => Promise<Runs>): Promise<number[]> {
    const batch = await openBatch({ jobMs, onEnd: ({ key }) => ends.get(key)?.() })
    await sendFirst(batch, ['1', '2', '3'])
    const runs = await disturb(batch)
    runs.start()
    const times: number[] = []
    for (const key of ['in flight', '4', '5', '6']) times.push(await timeOfRun(runs, key))
    expect(batch.sent).toEqual(['1', '2', '3', 'in flight', '4', '5', '6'])
    await settled(runs.stop())
    return times
  }

  test.each([
    ['stopped for 5 s', stop(5_000)],
    ['stopped for a minute', stop(60_000)],
    ['stopped for an hour', stop(HOUR_MS)],
    ['stopped for a night', stop(10 * HOUR_MS)],
    ['whose machine slept for an hour, or whose clock was set forward', sleepForAnHour],
    ['whose service was away for five minutes', loseService],
  ])('are found as soon in a batch %s as in one that was never stopped', async (_, disturb) => {
    const slowest = Math.max(...(await timesAfter(async ({ runs }) => runs)))
    for (const ms of await timesAfter(disturb)) expect(ms).toBeLessThan(1.1 * slowest)
  })
})

test('nothing is learned of a job during which the clock of this machine alone was set forward', async () => {
  const times: number[] = []
  for (const jumpMs of [0, HOUR_MS]) {
    const batch = await openBatch({ jobMs: 40_000, onEnd: ({ key }) => ends.get(key)?.() })
    batch.server.script(MODEL, [{ result: 'hang' }])
    await sendFirst(batch, [])
    setWallClock(jumpMs)
    await pass(40_000)
    const [{ job_id: id = '' } = {}] = batch.server.requests({ route: 'runModel' })
    batch.server.job(id).complete()
    await pass(60_000)
    expect(await settled(batch.runs.get('in flight'))).toMatchObject({ state: 'succeeded' })
    times.push(await timeOfRun(batch.runs, 'next'))
    await settled(batch.runs.stop())
  }
  const [steady = 0, jumped] = times
  expect(jumped).toBeLessThan(1.1 * steady)
})

const page = (status: number) => () => new Response('<html>', { status })
const canceled = () => Response.json({ data: { status: 'canceled' } })
const failure = (status: number) => Response.json({ error: { code: 'GONE', message: 'gone' } }, { status })
const done = () => Response.json({ data: { status: 'succeeded', output: { type: 'image', items: [] } } })
/** The first polls do not find the job. */
const hidden = (polls: number) => () => (polls-- > 0 ? failure(404) : done())

test.each([
  ['never has an output', () => Response.json({ data: { status: 'succeeded' } }), /unknown.*sends no output/],
  ['the service does not have any more', () => failure(410), /unknown.*gone/],
  ['the service does not have yet', hidden(5), /succeeded/],
  ['the service does not have', hidden(6), /unknown.*gone/],
  ['the service responds 408 for', () => failure(408), /running/],
  ['the service responds 500 for, longer than giveUpAfterMs', () => failure(500), /unknown.*gone/],
  ['never ends within giveUpAfterMs', () => Response.json({ data: { status: 'queued' } }), /unknown.*is queued/],
  ['has a status that no version knows', canceled, /running.*unknown status "canceled"(?!.*canceled)/s],
  ['a gateway has a 404 for', page(404), /running/],
  ['a gateway has a 400 for', page(400), /running/],
  ['a gateway has a 410 for', page(410), /running/],
])('a run whose job %s', async (title, respond, expected) => {
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const { server, engine, runs } = await openBatch()
  const service = server.clientOptions()
  const fetch: typeof globalThis.fetch = async (url, init) =>
    String(url).includes('/jobs/') ? respond() : service.fetch(url, init)
  const client = new ModelRun({ ...service, clock: undefined, fetch })
  const giveUpAfterMs = title.includes('giveUpAfterMs') ? 60_000 : undefined
  const own = createRuns({ engine, client, giveUpAfterMs })
  own.start()
  await settled(own.add('a', MODEL, { prompt: 'a' }))
  await pass(120_000)
  const run = await settled(runs.get('a'))
  expect(`${run?.state} ${run?.error?.message} ${warned.mock.calls.join()}`).toMatch(expected)
  warned.mockRestore()
  await settled(own.stop())
})

test.each([
  ['models', 503, /No run could be sent.*503/],
  ['models', 429, /No run could be sent.*429/],
  ['jobs', 500, /No job could be polled.*500/],
  ['jobs', 429, /No job could be polled.*429/],
  ['jobs', 404, /No job could be polled.*404/],
])(
  'an outage in which %s cannot be read (%i) is reported after a minute, once in ten',
  async (what, status, message) => {
    const reported: Error[] = []
    const { server, engine } = await openBatch()
    const service = server.clientOptions()
    let isAway = true
    const fetch: typeof globalThis.fetch = async (url, init) =>
      isAway && String(url).includes(`/v1/${what}/`) && init?.method === 'GET'
        ? page(status)()
        : service.fetch(url, init)
    const client = new ModelRun({ ...service, clock: undefined, fetch, maxRetries: 0 })
    const runs = createRuns({ engine, client, onPause: (error) => reported.push(error) })
    runs.start()
    await settled(runs.add('a', MODEL, { prompt: 'a' }))
    await pass(55_000)
    expect(reported).toEqual([])
    await pass(600_000)
    expect(reported).toHaveLength(1)
    expect(reported[0]?.message).toMatch(message)
    isAway = false
    await pass(60_000)
    expect(await settled(runs.get('a'))).toMatchObject({ state: 'succeeded' })
    await settled(runs.stop())
  },
)

test.each([503, 404])('a poll that meets the page of a gateway (%i) once is repeated at once', async (status) => {
  const { server, engine } = await openBatch()
  const service = server.clientOptions()
  let polls = 0
  const fetch: typeof globalThis.fetch = async (url, init) =>
    String(url).includes('/jobs/') && ++polls === 1 ? page(status)() : service.fetch(url, init)
  const client = new ModelRun({ ...service, clock: undefined, fetch })
  const runs = createRuns({ engine, client })
  runs.start()
  await settled(runs.add('a', MODEL, { prompt: 'a' }))
  await pass(2_500)
  expect([polls, (await settled(runs.get('a')))?.state]).toEqual([2, 'succeeded'])
  await settled(runs.stop())
})
