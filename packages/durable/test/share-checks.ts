import { Again, PauseQueue } from 'modelrun/webhooks'
import type { Task } from '../src/engine/engine.ts'
import { type CheckContext, expectEqual, expectTrue, heldHandler, sleep, until, untilState } from './engine-check.ts'

type Checks = Readonly<Record<string, (context: CheckContext) => Promise<void>>>

/** What several processes share. */
export const SHARE_CHECKS: Checks = {
  'eight engines set up at once': async ({ open }) => {
    const engines = await Promise.all(Array.from({ length: 8 }, () => open()))
    await Promise.all(engines.map((engine) => engine.setup()))
  },

  'no task runs twice, with several engines that add and run tasks': async ({ engine, queue, open }) => {
    const engines = [engine, await open(), await open()]
    const runs: string[] = []
    for (const one of engines) {
      one.work(
        queue,
        async ({ id }) => {
          runs.push(id)
          await sleep(1)
          return undefined
        },
        { concurrency: 7 },
      )
    }
    const ids = Array.from({ length: 60 }, (_, index) => `t${index}`)
    await Promise.all(engines.flatMap((one) => ids.map((id) => one.add(queue, id, { data: null }))))
    for (const id of ids) await untilState({ engine, queue }, id, 'done')
    expectEqual([...runs].sort(), [...ids].sort(), 'runs')
  },

  'no more tasks run at once than allowed, and so many do': async ({ engine, queue }) => {
    let running = 0
    let most = 0
    engine.work(
      queue,
      async () => {
        running += 1
        most = Math.max(most, running)
        await sleep(20)
        running -= 1
        return undefined
      },
      { concurrency: 4 },
    )
    const ids = Array.from({ length: 20 }, (_, index) => `t${index}`)
    await Promise.all(ids.map((id) => engine.add(queue, id, { data: null })))
    for (const id of ids) await untilState({ engine, queue }, id, 'done')
    expectEqual(most, 4, 'most at once')
  },

  'a rate holds over all processes, in every window': async ({ engine, queue, open }) => {
    const rate = { max: 10, perMs: 500 }
    const starts: number[] = []
    const ids = Array.from({ length: 30 }, (_, index) => `t${index}`)
    await Promise.all(ids.map((id) => engine.add(queue, id, { data: null })))
    for (const one of [engine, await open()]) {
      one.work(
        queue,
        async () => {
          starts.push(Date.now())
          return undefined
        },
        { rate },
      )
    }
    for (const id of ids) await untilState({ engine, queue }, id, 'done')
    starts.sort((one, other) => one - other)
    const windows = starts.map((start) => starts.filter((at) => at >= start && at < start + rate.perMs - 25).length)
    // A start is noted a little after it was allowed: one more than the rate can fall into a window.
    expectTrue(Math.max(...windows) <= rate.max + 1, `${Math.max(...windows)} starts within ${rate.perMs} ms`)
    const tookMs = (starts.at(-1) ?? 0) - (starts[0] ?? 0)
    expectTrue(tookMs >= 850 && tookMs < 3_500, `30 starts took ${tookMs} ms`)
  },

  'a worker that stops lets what runs end, and leaves the rest to others': async ({ engine, queue, open }) => {
    const held = heldHandler()
    const worker = engine.work(queue, held.handler, { concurrency: 2 })
    for (const id of ['a', 'b', 'c', 'd']) await engine.add(queue, id, { data: null })
    await until(() => held.started.length === 2, 'two tasks start')
    let isStopped = false
    const stopping = worker.stop().then(() => {
      isStopped = true
    })
    await sleep(50)
    expectEqual([isStopped, held.started.length], [false, 2], 'stopped, started')
    held.release()
    await stopping
    expectEqual(await engine.count(queue), { waiting: 2, running: 0, done: 2, dead: 0 }, 'counts')
    ;(await open()).work(queue, async () => undefined)
    for (const id of ['a', 'b', 'c', 'd']) await untilState({ engine, queue }, id, 'done')
  },

  'a task is renewed while its handler runs, however short its lock': async ({ engine, queue, open }) => {
    const held = heldHandler()
    engine.work(queue, held.handler, { lockMs: 300 })
    await engine.add(queue, 'a', { data: null })
    await until(() => held.started.length === 1, 'the task starts')
    ;(await open()).work(queue, held.handler, { lockMs: 300 })
    await sleep(1_000)
    expectEqual([held.started.length, held.started[0]?.signal.aborted], [1, false], 'starts, aborted')
    expectTrue((held.started[0]?.msLeft() ?? 0) > 100, 'the lock was not renewed')
    held.release()
    await untilState({ engine, queue }, 'a', 'done')
  },

  'a process that is paused for longer than a lock loses its tasks, and its late end does not count': async (
    context,
  ) => {
    const { engine, queue } = context
    const runs: Task[] = []
    engine.work(
      queue,
      async (task) => {
        runs.push(task)
        if (runs.length > 1) return 'second'
        await until(() => task.signal.aborted, 'the signal of the first run is aborted')
        return 'first'
      },
      { lockMs: 300 },
    )
    await engine.add(queue, 'a', { data: null })
    await until(() => runs.length === 1, 'the task starts')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
    const { result } = await untilState(context, 'a', 'done')
    expectEqual(
      [result, runs.map(({ lost, attempt }) => [lost, attempt])],
      [
        'second',
        [
          [0, 1],
          [1, 1],
        ],
      ],
      'runs',
    )
    expectTrue(Number(runs[1]?.fence) > Number(runs[0]?.fence), 'the fence did not rise')
    await until(() => runs[0]?.signal.aborted === true, 'the signal of the first run is aborted')
  },

  'a paused queue starts no task in any process until it is resumed, and what runs ends': async (context) => {
    const { engine, queue, open } = context
    const other = await open()
    const held = heldHandler()
    for (const one of [engine, other]) one.work(queue, held.handler, { concurrency: 1 })
    await engine.add(queue, 'a', { data: null })
    await until(() => held.started.length === 1, 'the task starts')
    await other.pause(queue)
    expectEqual([await engine.isPaused(queue), await engine.isPaused(`${queue}-2`)], [true, false], 'paused')
    for (const one of [engine, other]) await one.add(queue, one === engine ? 'b' : 'c', { data: null })
    held.release()
    await untilState(context, 'a', 'done')
    await sleep(400)
    expectEqual(held.started.length, 1, 'starts in the pause')
    await engine.resume(queue)
    expectEqual(await other.isPaused(queue), false, 'paused after the end of the pause')
    for (const id of ['b', 'c']) await untilState(context, id, 'done')
  },

  'the end of a pause also ends that of a handler': async (context) => {
    const { engine, queue } = context
    let runs = 0
    await engine.add(queue, 'a', { data: null })
    engine.work(queue, async () => {
      runs += 1
      if (runs === 1) throw new PauseQueue(60_000)
      return undefined
    })
    await until(() => engine.isPaused(queue), 'the queue is paused')
    await engine.resume(queue)
    // The task itself waits as long as its pause.
    await engine.add(queue, 'b', { data: null })
    await untilState(context, 'b', 'done')
    expectEqual(runs, 2, 'runs')
  },

  'the age of the oldest due task counts from when it was due, and not what is only planned': async (context) => {
    const { engine, queue } = context
    expectEqual(await engine.oldestDueMs(queue), 0, 'age in an empty queue')
    await engine.add(queue, 'later', { data: null, delayMs: 60_000 })
    await engine.add(queue, 'soon', { data: null, delayMs: 100 })
    expectEqual(await engine.oldestDueMs(queue), 0, 'age before anything is due')
    await sleep(250)
    const ageMs = await engine.oldestDueMs(queue)
    expectTrue(ageMs >= 100 && ageMs < 10_000, `the age is ${ageMs} ms instead of 150`)
    let isRepeated = false
    engine.work(queue, async () => {
      if (isRepeated) return undefined
      isRepeated = true
      throw new Again(300)
    })
    await until(() => isRepeated, 'the first run')
    await sleep(50)
    expectEqual(await engine.oldestDueMs(queue), 0, 'age while the task waits to run again')
    await untilState(context, 'soon', 'done')
    expectEqual(await engine.oldestDueMs(queue), 0, 'age when all is done')
  },

  'a counter is one for all processes, and never passes its limit': async ({ engine, queue, open }) => {
    const other = await open()
    const name = `${queue}-credits`
    const taken = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? engine : other).tally(name, 3, 60)),
    )
    expectEqual(taken.filter((value) => value !== undefined).length, 20, 'taken')
    expectEqual(await other.tally(name, 0), 60, 'value')
    expectEqual([await engine.tally(name, -3), await other.tally(name, 3, 60)], [57, 60], 'after giving back')
  },

  'a part of a counter counts once, and can be released once': async ({ engine, queue, open }) => {
    const other = await open()
    const name = `${queue}-parts`
    const take = (part: string) => other.reserve(name, part, { amount: 4, limit: 8 })
    expectEqual(
      [await take('a'), await take('a'), await take('b'), await take('c')],
      [true, true, true, false],
      'taken',
    )
    expectEqual([await take('b'), await engine.tally(name, 0)], [true, 8], 'a part that is counted, at the limit')
    await Promise.all([engine.release(name, 'a'), other.release(name, 'a').catch(() => {})])
    await engine.release(name, 'never')
    expectEqual([await engine.tally(name, 0), await take('c'), await take('a')], [4, true, false], 'after a release')
    const adds = Array.from({ length: 10 }, (_, index) => engine.reserve(name, `part-${index}`, { amount: 1 }))
    expectEqual((await Promise.all(adds)).every(Boolean), true, 'without a limit')
    expectEqual(await other.tally(name, 0), 18, 'value')
  },
}
