import { PauseQueue, RetryAfterError, type Task } from '@modelrun/kit'
import type { Checks } from '../../kit/test/engine/engine-check.ts'
import { expectEqual, expectTrue, heldHandler, sleep, until, untilState } from '../../kit/test/engine/engine-check.ts'
import type { Engine, Guard, TaskName } from '../src/engine/engine.ts'

/** What several processes share. */
export const SHARE_CHECKS: Checks<Engine> = {
  'eight engines set up at once': async ({ open }) => {
    const engines = await Promise.all(Array.from({ length: 8 }, () => open()))
    await Promise.all(engines.map((engine) => engine.setup()))
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
        await until(() => task.signal.aborted)
        return 'first'
      },
      { lockMs: 1_000 },
    )
    await engine.add(queue, 'a', { data: null })
    await until(() => runs.length === 1)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
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
    await until(() => runs[0]?.signal.aborted === true)
  },

  'a change that depends on a task does nothing once that is locked again, removed, or added again': async ({
    engine,
    queue,
  }) => {
    const add = () => engine.add(queue, 'a', { data: 1 })
    const guards: { [state: string]: Task } = {}
    const lock = async (name: string) => {
      const handler = async (task: Task) => {
        guards[name] = task
        throw new RetryAfterError(0)
      }
      await engine.once(queue, handler, { id: 'a', isEarly: true })
    }
    const changes = async ({ addedAt, fence }: Omit<Guard, keyof TaskName>) => {
      const late = engine.guardedBy({ queue, id: 'a', addedAt, fence })
      await engine.reserve(queue, 'counted', { amount: 1 })
      await late.reserve(queue, 'late', { amount: 2 })
      await late.add(queue, 'b', { data: null })
      await late.release(queue, 'counted')
      const total = await engine.total(queue)
      const isAdded = await engine.remove(queue, 'b')
      await engine.release(queue, 'late')
      return [total, isAdded, await late.update(queue, 'a', 2), await late.remove(queue, 'a')]
    }
    await add()
    await lock('first')
    await lock('second')
    const { first, second } = guards
    expectEqual(await changes({ ...first }), [1, false, false, false], 'locked again')
    expectEqual(await changes({ ...second }), [2, true, true, true], 'as it was locked')
    expectEqual(await changes({ ...second, fence: undefined }), [1, false, false, false], 'removed')
    await sleep(2)
    await add()
    expectEqual(await changes({ ...second, fence: undefined }), [1, false, false, false], 'added again')
    const stored = await engine.get(queue, 'a')
    expectEqual([stored?.data, stored?.state], [1, 'waiting'], 'the task')
    expectEqual(await changes({ addedAt: stored?.addedAt }), [2, true, true, true], 'as it was added')
  },

  'a paused queue starts no task in any process until it is resumed, and what runs ends': async (context) => {
    const { engine, queue, open } = context
    const other = await open()
    const held = heldHandler()
    for (const one of [engine, other]) one.work(queue, held.handler, { concurrency: 1 })
    await engine.add(queue, 'a', { data: null })
    await until(() => held.started.length === 1)
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
    await until(() => engine.isPaused(queue))
    await engine.resume(queue)
    // The task itself waits as long as its pause.
    await engine.add(queue, 'b', { data: null })
    await untilState(context, 'b', 'done')
    expectEqual(runs, 2, 'runs')
  },

  'the age of the oldest due task counts from when it was due, and not what is only planned': async (context) => {
    const { engine, queue } = context
    expectEqual(Math.max(0, -((await engine.msUntilDue(queue)) ?? 0)), 0, 'age in an empty queue')
    await engine.add(queue, 'later', { data: null, delayMs: 3_600_000 })
    expectEqual(Math.max(0, -((await engine.msUntilDue(queue)) ?? 0)), 0, 'age before anything is due')
    const addedAt = performance.now()
    await engine.add(queue, 'soon', { data: null, delayMs: 100 })
    await until(async () => -((await engine.msUntilDue(queue)) ?? 0) >= 100)
    expectTrue(performance.now() - addedAt >= 190, 'the age counts from when the task was added')
    engine.work(queue, async ({ id }) => {
      if (id === 'soon') throw new RetryAfterError(3_600_000)
      return undefined
    })
    await until(async () => ((await engine.msUntilDue(queue)) ?? 0) > 0)
    await untilState(context, 'soon', 'waiting')
    await engine.add(queue, 'now', { data: null })
    await untilState(context, 'now', 'done')
    expectEqual(Math.max(0, -((await engine.msUntilDue(queue)) ?? 0)), 0, 'age when all is done')
  },

  'a part of a counter counts once, and can be released once': async ({ engine, queue, open }) => {
    const other = await open()
    const taken = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? engine : other).reserve(`${queue}-credits`, `part-${index}`, { amount: 3, limit: 60 }),
      ),
    )
    expectEqual(taken.filter(Boolean).length, 20, 'parts that were taken by two processes')
    expectEqual([await engine.total(`${queue}-credits`), await other.total('none')], [60, 0], 'values')
    const name = `${queue}-parts`
    const take = (part: string) => other.reserve(name, part, { amount: 4, limit: 8 })
    expectEqual(
      [await take('a'), await take('a'), await take('b'), await take('c')],
      [true, true, true, false],
      'taken',
    )
    expectEqual([await take('b'), await engine.total(name)], [true, 8], 'a part that is counted, at the limit')
    await Promise.all([engine.release(name, 'a'), other.release(name, 'a').catch(() => {})])
    await engine.release(name, 'never')
    expectEqual([await engine.total(name), await take('c'), await take('a')], [4, true, false], 'after a release')
    const adds = Array.from({ length: 10 }, (_, index) => engine.reserve(name, `part-${index}`, { amount: 1 }))
    expectEqual((await Promise.all(adds)).every(Boolean), true, 'without a limit')
    expectEqual(await other.total(name), 18, 'value')
  },
}
