import { ConfigurationError } from 'modelrun'
import { expect, it, test } from 'vitest'
import { MODEL, openBatch, pass, settled, useVirtualTime } from '../../test/batch.ts'
import { loop, openProcesses, type Process, type Processes } from '../../test/processes.ts'
import { decide, queuesOf, type RunsContext } from './runs-context.ts'
import type { Runs } from './runs-options.ts'

useVirtualTime()

const DECISIONS: Readonly<Record<string, (runs: Runs, jobId: string) => Promise<boolean>>> = {
  resolve: (runs, jobId) => runs.resolve('a', { jobId }),
  read: (runs, jobId) => runs.read('a', { jobId }).then((run) => run.jobId === jobId),
  resubmit: (runs) => runs.resubmit('a'),
}
const PAIRS = Object.keys(DECISIONS).flatMap((one) => Object.keys(DECISIONS).map((other) => [one, other] as const))

it.each(PAIRS.filter((pair) => pair.includes('resubmit')))(
  'of two decisions about an unknown run at the same time %s and %s, one counts',
  async (...pair) => {
    const { server, runs, reopen, sent } = await openBatch({ jobMs: 5_000 })
    server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
    await settled(runs.send('a', MODEL, { prompt: 'a' }))
    const [{ job_id: jobId = '' } = {}] = server.requests({ route: 'runModel' })
    const ends = await settled(Promise.all(pair.map((name) => DECISIONS[name]?.(reopen(), jobId))))
    expect(ends.filter(Boolean)).toHaveLength(1)
    await settled(runs.sweep())
    await pass(10_000)
    expect(sent).toHaveLength(pair[ends.indexOf(true)] === 'resubmit' ? 2 : 1)
    expect(await settled(runs.sweep())).toMatchObject({ succeeded: 1, total: 1, credits: 4 * sent.length })
  },
)

test('decisions about one run are made one after the other, also when one fails', async () => {
  const { engine } = await openBatch()
  const context = { engine, queues: queuesOf('runs') } as RunsContext
  const steps: string[] = []
  const decideIn = async (name: string) => {
    steps.push(`${name} starts`)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    steps.push(`${name} ends`)
    throw new Error(name)
  }
  const decisions = ['one', 'other'].map((name) => decide('a', () => decideIn(name), context).catch(String))
  expect(await settled(Promise.all(decisions))).toEqual(['Error: one', 'Error: other'])
  expect(steps).toEqual(['one starts', 'one ends', 'other starts', 'other ends'])
})

test.each(['dies after', undefined] as const)(
  'an attempt whose adder %s is counted once, however often it is tried',
  async (fault) => {
    const shared = await openProcesses()
    const changes: string[] = []
    const process = shared.open({}, { store: (change) => void changes.push(change) })
    shared.server.script(MODEL, [{ result: 'failed' }])
    await settled(loop(process, 'a'))
    // Its price is read again.
    await pass(60_000)
    const adder = shared.open(
      {},
      { store: (change) => (change === 'add runs:submit' ? fault : void changes.push(change)) },
    )
    void adder.runs.retry('a')
    await pass(1_000)
    process.faults.request = (route) => (route === 'GET model' ? 'fails' : undefined)
    process.runs.start()
    await pass(120_000)
    await settled(process.runs.stop())
    const count = (pattern: RegExp) => changes.filter((change) => pattern.test(change)).length
    expect(count(/^lock runs:submit/)).toBeGreaterThan(20)
    expect([count(/^add runs:retried/), count(/^remove runs:(failed|cancelled|rejected)/)]).toEqual([1, 3])
  },
)

const RUNS_TO_DELETE: Readonly<Record<string, (shared: Processes, first: Process) => Promise<unknown>>> = {
  succeeded: (_, first) => settled(loop(first, 'a')),
  unknown: ({ server }, { runs }) => {
    server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
    return settled(runs.send('a', MODEL, { prompt: 'a' }))
  },
  cancelled: async (_, { runs }) => {
    await settled(runs.add('a', MODEL, { prompt: 'a' }))
    expect(await settled(runs.cancel('a'))).toBe('cancelled')
  },
  'cancelled and retried': async (_, { runs }) => {
    await settled(runs.add('a', MODEL, { prompt: 'a' }))
    await settled(runs.cancel('a'))
    expect(await settled(runs.retry('a'))).toBe(true)
  },
  retried: async ({ server }, first) => {
    server.script(MODEL, [{ result: 'failed' }])
    await settled(loop(first, 'a'))
    await settled(first.runs.retry('a'))
    await settled(loop(first, 'a'))
  },
}
const DELETIONS = Object.keys(RUNS_TO_DELETE).flatMap((name) => [true, false].map((isAdded) => ({ name, isAdded })))

test.each(DELETIONS)('a deletion that died anywhere is completed ($name, added again: $isAdded)', async (given) => {
  for (let at = 1, isOver = false; !isOver; at += 1) {
    const shared = await openProcesses(1_000)
    const reported: unknown[] = []
    const report = (problem: unknown) => void reported.push(problem)
    const [first, other] = [shared.open(), shared.open({ onEnd: report, onPause: report })]
    await RUNS_TO_DELETE[given.name]?.(shared, first)
    let changes = 0
    first.faults = { store: () => (++changes === at ? 'loses the response' : undefined) }
    isOver = await settled(first.runs.delete({ all: true })).then(
      () => changes < at,
      () => false,
    )
    const before = await settled(other.runs.get('a'))
    // A worker ends the mark of a deletion, and reports no run.
    await pass(15_000)
    if (before === undefined) await settled(other.runs.sweep())
    expect(reported).toEqual([])
    if (given.isAdded) {
      const { run } = await settled(loop(other, 'a'))
      const jobs = shared.server.requests({ route: 'runModel' }).map(({ job_id }) => job_id)
      if (before === undefined) expect(run).toMatchObject({ state: 'succeeded', jobId: jobs.at(-1) })
      const progress = await settled(other.runs.progress())
      if (before === undefined) expect(progress.credits).toBe(4)
      expect(progress).toMatchObject({ total: 1, [run.state]: 1 })
    }
    // What the first process had locked is under way until its lock is over.
    while ((await settled(other.runs.delete({ all: true }))).kept > 0) await settled(other.runs.sweep())
    const rows = shared.rows('SELECT queue, id FROM modelrun_tasks')
    const counters = shared.rows("SELECT * FROM modelrun_tallies WHERE name <> ' seq' AND value <> 0")
    expect([...rows, ...counters]).toEqual([])
  }
})

test('a deletion of what is left of a key does not delete the run that is added meanwhile', async () => {
  const shared = await openProcesses()
  let reads = 0
  const held = new Promise<void>((resolve) => setTimeout(resolve, 9_000))
  const isHeld = (change: string) => change === 'get runs:poll' && ++reads === 2
  const late = shared.open({}, { store: (change) => (isHeld(change) ? held : undefined) })
  const other = shared.open()
  await settled(other.engine.add('runs:decisions', 'a', { data: null }))
  const deletion = late.runs.delete({ all: true })
  await pass(1_000)
  await settled(other.runs.send('a', MODEL, { prompt: 'a' }))
  expect(await settled(deletion)).toEqual({ deleted: 0, kept: 0 })
  expect((await settled(loop(other, 'a'))).run).toMatchObject({ state: 'succeeded' })
  expect(shared.posts).toEqual({ a: 1 })
})

test('places that were taken with a limit are freed without it', async () => {
  const { runs, reopen } = await openBatch({ maxRunning: 1 })
  await settled(runs.send('a', MODEL, { prompt: 'a' }))
  await settled(reopen({ maxRunning: undefined }).sweep())
  expect(await settled(reopen().send('b', MODEL, { prompt: 'b' }))).toMatchObject({ state: 'running' })
})

test.each([
  ['dies before', 'cancelled'],
  ['dies after', 'unknown'],
] as const)('a run whose process %s the mark of its send is %s by a cancel in a paused batch', async (fault, end) => {
  const shared = await openProcesses()
  const other = shared.open()
  const dying = shared.open({}, { store: (change) => (change === 'markStarted runs:submit' ? fault : undefined) })
  void dying.runs.send('a', MODEL, { prompt: 'a' })
  await pass(1_000)
  await settled(other.runs.pause())
  await pass(60_000)
  expect(await settled(other.runs.cancel('a'))).toBe(end)
})

test('a cancelled run that was added again and retried counts once, by its last end, and is listed', async () => {
  const { runs } = await openBatch()
  await settled(runs.add('a', MODEL, { prompt: 'a' }))
  expect(await settled(runs.cancel('a'))).toBe('cancelled')
  expect(await settled(runs.list())).toMatchObject([{ key: 'a', state: 'cancelled' }])
  await settled(runs.add('a', MODEL, { prompt: 'a' }))
  expect(await settled(runs.retry('a'))).toBe(true)
  await settled(runs.sweep())
  expect(await settled(runs.progress())).toMatchObject({ total: 1, succeeded: 1, cancelled: 0, done: 1 })
})

test('a loop ends when another process has deleted the run for which it waits', async () => {
  const { runs, reopen } = await openBatch()
  await settled(runs.pause())
  const next = settled(runs.runEach(MODEL, [{ key: 'a', input: { prompt: 'a' } }]).next())
  setTimeout(() => void reopen().delete({ all: true }), 1_000)
  await expect(next).rejects.toThrow('The run a was deleted while a loop waits for it.')
})

test('an unknown run above its limit is sent again with a higher one', async () => {
  const { server, runs, sent } = await openBatch()
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
  await settled(runs.send('a', MODEL, { prompt: 'a' }, { maxCredits: 4 }))
  expect(await settled(runs.resubmit('a', { maxCredits: 1 }))).toBe(true)
  expect(await settled(runs.sweep())).toMatchObject({ unknown: 1 })
  expect(await settled(runs.resubmit('a', { maxCredits: 50 }))).toBe(true)
  expect(await settled(runs.sweep())).toMatchObject({ succeeded: 1, credits: 8 })
  expect(sent).toHaveLength(2)
})

test.each(['garbage', '10x', '-1', '', 'submit:x', 'done:x'])('the cursor %j is that of no list', async (after) => {
  const { runs } = await openBatch()
  const results = runs.results({ after })[Symbol.asyncIterator]()
  for (const read of [() => results.next(), () => runs.list({ after }), () => runs.unknown({ after })]) {
    await expect(settled<unknown>(read())).rejects.toThrow(ConfigurationError)
  }
})
