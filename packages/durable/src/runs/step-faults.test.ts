import { describe, expect, it } from 'vitest'
import { MODEL, pass, settled, useVirtualTime } from '../../test/batch.ts'
import { type Fault, type Faults, loop, openProcesses } from '../../test/processes.ts'
import type { StepRun } from './run-types.ts'

useVirtualTime()

/** Lets something happen once. */
function onceAt<At extends string>(wanted: At, fault: Fault): (at: string) => Fault {
  let isPast = false
  return (at) => {
    if (isPast || at !== wanted) return undefined
    isPast = true
    return fault
  }
}

const DIES = ['dies before', 'dies after'] as const
const LOSES = [...DIES, 'loses the response'] as const
const ALL = [...LOSES, 'fails'] as const

/** A place where a process ends or fails, and what the callers of the same run get afterwards. */
type Row = readonly [at: string, faults: readonly Fault[], state: StepRun['state'], posts: number, inHand?: object]

const IN_THE_STORE: readonly Row[] = [
  ['add runs:submit', ALL, 'succeeded', 1],
  ['lockOne runs:submit', ALL, 'succeeded', 1],
  ['reserve runs:credits', ALL, 'succeeded', 1],
  ['markStarted runs:submit', ['dies before', 'loses the response'], 'succeeded', 1],
  ['markStarted runs:submit', ['dies after'], 'unknown', 0],
  ['add runs:poll', ['dies before'], 'unknown', 1],
  ['add runs:poll', ['dies after', 'loses the response'], 'succeeded', 1],
  ['end runs:submit', ['dies before', 'loses the response'], 'succeeded', 1],
  ['add runs:outcomes', LOSES, 'succeeded', 1],
  ['add runs:outcomes', ['dies after', 'loses the response'], 'failed', 1, { status: 'failed', error: { code: 'X' } }],
  ['end runs:poll', LOSES, 'succeeded', 1],
]

const IN_REQUESTS: readonly Row[] = [
  ['GET model', [...DIES, 'fails'], 'succeeded', 1],
  ['POST', ['dies before'], 'unknown', 0],
  ['POST', ['dies after', 'loses the response'], 'unknown', 1],
  ['GET job', ALL, 'succeeded', 1],
]

const FAULTS = [
  { at: 'nowhere', faults: () => ({}), state: 'succeeded', posts: 1, inHand: undefined },
  ...rowsOf('store', IN_THE_STORE),
  ...rowsOf('request', IN_REQUESTS),
]

function rowsOf(where: keyof Faults, rows: readonly Row[]) {
  return rows.flatMap(([at, faults, state, posts, inHand]) =>
    faults.map((fault) => ({
      at: `${at}: ${fault}`,
      inHand,
      faults: (): Faults => ({ [where]: onceAt(at, fault) }),
      state,
      posts,
    })),
  )
}

describe.each(FAULTS)('a fault at $at (the POST responds with $inHand)', ({ faults, state, posts, inHand }) => {
  /** Another process calls on, however the first one ended. */
  it.each(['send', 'sweep', 'a worker'] as const)(
    `makes ${posts} POSTs and the run ${state}, found by %s`,
    async (by) => {
      const shared = await openProcesses(1_000)
      const body = { job_id: 'job_1', ...inHand }
      if (inHand) shared.server.faults.add({ kind: 'response', route: 'runModel', status: 200, body, times: 1 })
      const first = shared.open({ maxRunning: 1, maxCredits: 8 }, faults())
      const other = shared.open({ maxRunning: 1, maxCredits: 8 })
      void loop(first, 'a').catch(() => {})
      await pass(60_000)
      await settled(other.runs.add('a', MODEL, { prompt: 'a' }))
      if (by === 'a worker') other.runs.start()
      if (by === 'send') await settled(loop(other, 'a'))
      if (by === 'sweep') for (let round = 0; round < 5; round += 1) await settled(other.runs.sweep({ forMs: 10_000 }))
      await pass(60_000)
      const run = await settled(other.runs.read('a'))
      expect([run.state, shared.posts.a ?? 0]).toEqual([state, posts])
      expect(JSON.parse(JSON.stringify(run))).toEqual(run)
      expect((await settled(loop(other, 'a'))).run.state).toBe(state)
      expect(shared.posts.a ?? 0).toBe(posts)
      // Its place is free.
      await settled(loop(other, 'b'))
      const succeeded = state === 'succeeded' ? 2 : 1
      expect(await settled(other.runs.sweep())).toMatchObject({ total: 2, [state]: 1, succeeded, credits: 8 })
      await settled(other.runs.stop())
    },
  )
})

it('sends once for each mark, and nothing without one', async () => {
  const { server, open } = await openProcesses()
  server.faults.add({ kind: 'rate-limit', route: 'runModel', retry_after: 1, times: 1 })
  const steps: string[] = []
  const request = (at: string): Fault => (at === 'POST' ? void steps.push(at) : undefined)
  const store = (at: string): Fault => {
    if (at !== 'markStarted runs:submit') return undefined
    return steps.push('mark') <= 2 ? 'marks none' : undefined
  }
  expect((await settled(loop(open({}, { request, store }), 'a'))).run.state).toBe('succeeded')
  expect(steps).toEqual(['mark', 'mark', 'mark', 'POST', 'mark', 'POST'])
})

describe('a store that stays away from the POST on', () => {
  it.each([
    [undefined, 0, 'running'],
    [undefined, 10_000, 'running'],
    ['loses the response', 0, 'unknown'],
  ] as const)(
    'is not an error of the call that sent (the POST: %s, %i ms), and leaves the run %s',
    async (fault, delay_ms, state) => {
      const shared = await openProcesses(1_000)
      // Longer than the lock.
      shared.server.faults.add({ kind: 'slow-headers', route: 'runModel', delay_ms, times: 1 })
      let isSent = false
      const faults: Faults = {
        request: (at) => {
          isSent ||= at === 'POST'
          return at === 'POST' ? fault : undefined
        },
        store: () => (isSent ? 'fails' : undefined),
      }
      const { runs } = shared.open({}, faults)
      expect(await settled(runs.send('a', MODEL, { prompt: 'a' }))).toMatchObject({ state })
      expect(shared.posts.a).toBe(1)
      await expect(settled(runs.send('b', MODEL, { prompt: 'b' }))).rejects.toThrow()
      expect(shared.posts.b).toBeUndefined()
    },
  )

  it('holds no process that has closed its engine', async () => {
    const shared = await openProcesses(1_000)
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    const store = (change: string) => (shared.posts.a === 1 && !change.startsWith('close') ? 'fails' : undefined)
    const { runs, engine } = shared.open({ onError }, { store })
    await settled(runs.add('a', MODEL, { prompt: 'a' }))
    runs.start()
    await pass(2_000)
    const stopped = runs.stop()
    await settled(engine.close())
    await settled(stopped)
    const { length } = errors
    await pass(60_000)
    expect([length > 0, errors.length - length]).toEqual([true, 0])
  })
})

it.each(['a worker', 'a call', 'a worker that stops'])(
  'a job in hand of %s is stored once a store is back that failed for longer than the lock',
  async (who) => {
    const { open, posts } = await openProcesses(1_000)
    const ends: string[] = []
    const { runs, faults } = open({ onEnd: ({ state }) => ends.push(state) }, {})
    faults.request = (route) => {
      if (route === 'POST') faults.store = () => 'fails'
      return undefined
    }
    await settled(runs.add('a', MODEL, { prompt: 'a' }))
    if (who === 'a call') await settled(runs.send('a', MODEL, { prompt: 'a' }))
    else runs.start()
    await pass(20_000)
    const stopped = who === 'a worker that stops' ? runs.stop() : undefined
    await pass(5_000)
    faults.store = () => undefined
    if (stopped === undefined) await settled(runs.sweep({ forMs: 10_000 }))
    await settled(stopped ?? runs.stop())
    expect((await settled(loop(open(), 'a'))).run.state).toBe('succeeded')
    expect([posts, ends.includes('unknown')]).toEqual([{ a: 1 }, false])
  },
)
