import { describe, expect, it } from 'vitest'
import { MODEL, pass, settled, useVirtualTime } from '../../test/batch.ts'
import { type Fault, type Faults, loop, openProcesses } from '../../test/processes.ts'
import type { StepRun } from './step-run.ts'

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

/** Where a process ends or fails, and what the callers of the same run get afterwards. */
const FAULTS: readonly { at: string; faults: () => Faults; state: StepRun['state']; posts: number }[] = [
  { at: 'nowhere', faults: () => ({}), state: 'succeeded', posts: 1 },
  ...['add runs:submit', 'lockOne runs:submit']
    .flatMap((change) => [
      { at: `${change}, before it`, faults: () => ({ store: onceAt(change, 'dies before') }) },
      { at: `${change}, after it`, faults: () => ({ store: onceAt(change, 'dies after') }) },
      { at: `${change}, lost`, faults: () => ({ store: onceAt(change, 'loses the response') }) },
      { at: `${change}, fails`, faults: () => ({ store: onceAt(change, 'fails') }) },
    ])
    .map((one) => ({ ...one, state: 'succeeded' as const, posts: 1 })),
  ...(['dies before', 'dies after', 'fails'] as const).map((fault) => ({
    at: `the price: ${fault}`,
    faults: () => ({ request: onceAt('GET model', fault) }),
    state: 'succeeded' as const,
    posts: 1,
  })),
  {
    at: 'the mark: dies before',
    faults: () => ({ store: onceAt('markStarted runs:submit', 'dies before') }),
    state: 'succeeded',
    posts: 1,
  },
  {
    at: 'the mark: dies after',
    faults: () => ({ store: onceAt('markStarted runs:submit', 'dies after') }),
    state: 'unknown',
    posts: 0,
  },
  {
    at: 'the mark: lost',
    faults: () => ({ store: onceAt('markStarted runs:submit', 'loses the response') }),
    state: 'succeeded',
    posts: 1,
  },
  {
    at: 'the POST: dies before',
    faults: () => ({ request: onceAt('POST', 'dies before') }),
    state: 'unknown',
    posts: 0,
  },
  { at: 'the POST: dies after', faults: () => ({ request: onceAt('POST', 'dies after') }), state: 'unknown', posts: 1 },
  {
    at: 'the POST: lost',
    faults: () => ({ request: onceAt('POST', 'loses the response') }),
    state: 'unknown',
    posts: 1,
  },
  {
    at: 'the job: dies before',
    faults: () => ({ store: onceAt('add runs:poll', 'dies before') }),
    state: 'unknown',
    posts: 1,
  },
  {
    at: 'the job: dies after',
    faults: () => ({ store: onceAt('add runs:poll', 'dies after') }),
    state: 'succeeded',
    posts: 1,
  },
  {
    at: 'the job: lost',
    faults: () => ({ store: onceAt('add runs:poll', 'loses the response') }),
    state: 'succeeded',
    posts: 1,
  },
  {
    at: 'the end of the submit: dies before',
    faults: () => ({ store: onceAt('end runs:submit', 'dies before') }),
    state: 'succeeded',
    posts: 1,
  },
  {
    at: 'the end of the submit: lost',
    faults: () => ({ store: onceAt('end runs:submit', 'loses the response') }),
    state: 'succeeded',
    posts: 1,
  },
  ...(['dies before', 'dies after', 'fails', 'loses the response'] as const).map((fault) => ({
    at: `the poll: ${fault}`,
    faults: () => ({ request: onceAt('GET job', fault) }),
    state: 'succeeded' as const,
    posts: 1,
  })),
  ...(['add runs:outcomes', 'end runs:poll'] as const).flatMap((change) =>
    (['dies before', 'dies after', 'loses the response'] as const).map((fault) => ({
      at: `${change}: ${fault}`,
      faults: () => ({ store: onceAt(change, fault) }),
      state: 'succeeded' as const,
      posts: 1,
    })),
  ),
]

describe.each(FAULTS)('a fault at $at', ({ faults, state, posts }) => {
  /** Another process calls on, however the first one ended. */
  it.each(['send', 'sweep', 'a worker'] as const)(
    `makes ${posts} POSTs and the run ${state}, found by %s`,
    async (by) => {
      const shared = await openProcesses(1_000)
      const first = shared.open({}, faults())
      const other = shared.open()
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
      await settled(other.runs.stop())
    },
  )
})
