import type { TaskState } from '../../src/engine/engine.ts'
import { RetryAfterError } from '../../src/engine/task-ends.ts'
import { type Checks, expectEqual, expectTrue, heldHandler, sleep, until, untilState } from './engine-check.ts'

const UNCOMMON_IDS = [...'123 a:b a/b .. ü/.. __proto__ X x % " \' 🦊'.split(' '), 'x'.repeat(300), ' x', 'x ']

/** What is added, and read back. */
export const ADD_CHECKS: Checks = {
  'a task runs once, with its data, and keeps its result': async ({ engine, queue, ...rest }) => {
    const data = {
      text: 'ü "quoted"',
      list: [1, null, true],
      __proto__x: 1,
      'a.b': [[], {}, ''],
      big: 'x'.repeat(100_000),
    }
    const seen: unknown[] = []
    await engine.add(queue, 'a', { data })
    expectEqual((await engine.get(queue, 'a'))?.state, 'waiting', 'state before')
    engine.work(queue, async (task) => {
      seen.push([task.id, task.data, task.attempt, task.lost])
      return { made: 1, of: task.data }
    })
    const record = await untilState({ engine, queue, ...rest }, 'a', 'done')
    await sleep(50)
    expectEqual(seen, [['a', data, 1, 0]], 'runs')
    expectEqual([record.data, record.result, record.error], [data, { made: 1, of: data }, undefined], 'record')
    expectTrue((record.endedAt ?? 0) >= record.addedAt, 'endedAt is before addedAt')
  },

  'an id that is added again changes nothing: while it waits, runs, is done, or is dead': async (context) => {
    const { engine, queue } = context
    const held = heldHandler()
    let runs = 0
    await engine.add(queue, 'a', { data: 1 })
    await engine.add(queue, 'a', { data: 2 })
    engine.work(
      queue,
      async (task) => {
        runs += 1
        if (task.id === 'dies') throw new Error('no')
        return held.handler(task)
      },
      { attempts: 1 },
    )
    await until(() => held.started.length === 1)
    await engine.add(queue, 'a', { data: 3 })
    held.release()
    await untilState(context, 'a', 'done')
    await engine.add(queue, 'a', { data: 4 })
    await engine.add(queue, 'dies', { data: 5 })
    await untilState(context, 'dies', 'dead')
    await engine.add(queue, 'dies', { data: 6 })
    await sleep(100)
    expectEqual(runs, 2, 'runs')
    expectEqual([(await engine.get(queue, 'a'))?.data, (await engine.get(queue, 'dies'))?.data], [1, 5], 'data')
  },

  'any text up to 300 characters is an id of its own': async (context) => {
    const { engine, queue } = context
    for (const id of UNCOMMON_IDS) await engine.add(queue, id, { data: id })
    engine.work(queue, async (task) => task.data)
    for (const id of UNCOMMON_IDS) expectEqual((await untilState(context, id, 'done')).result, id, `result of ${id}`)
    expectEqual((await engine.list(queue, 'done')).length, UNCOMMON_IDS.length, 'tasks')
  },

  'a delayed task does not start before its time': async (context) => {
    const { engine, queue } = context
    const addedAt = performance.now()
    let startedAt = 0
    engine.work(queue, async () => {
      startedAt = performance.now()
      return undefined
    })
    await engine.add(queue, 'a', { data: null, delayMs: 400 })
    await untilState(context, 'a', 'done')
    const waitedMs = startedAt - addedAt
    expectTrue(waitedMs >= 395, `it started after ${waitedMs} ms instead of 400`)
  },

  'an update replaces the data of a task that waits, and makes it due; not of its id in another queue': async (
    context,
  ) => {
    const { engine, queue } = context
    await engine.add(`${queue}-2`, 'a', { data: 2 })
    await engine.add(queue, 'a', { data: 1, delayMs: 60_000 })
    engine.work(queue, async ({ data }) => data)
    expectEqual(await engine.update(queue, 'a', { text: 'ü' }), true, 'update')
    const record = await untilState(context, 'a', 'done')
    expectEqual([record.data, record.result], [{ text: 'ü' }, { text: 'ü' }], 'record')
    expectEqual((await engine.get(`${queue}-2`, 'a'))?.data, 2, 'data in the other queue')
    expectEqual(await engine.update(queue, 'none', 1), false, 'update of a task that does not exist')
  },

  'an update of a task that runs counts for its next run, and one of a dead task for its replay': async (context) => {
    const { engine, queue } = context
    const held = heldHandler()
    const seen: unknown[] = []
    await engine.add(queue, 'a', { data: 1 })
    engine.work(
      queue,
      async (task) => {
        seen.push(task.data)
        if (task.data === 1) {
          await held.handler(task)
          throw new RetryAfterError(1)
        }
        if (task.data === 2) throw new Error('no')
        return task.data
      },
      { attempts: 1 },
    )
    await until(() => held.started.length === 1)
    expectEqual(await engine.update(queue, 'a', 2), true, 'update')
    held.release()
    await untilState(context, 'a', 'dead')
    expectEqual([await engine.update(queue, 'a', 3), seen], [true, [1, 2]], 'runs')
    expectEqual((await engine.get(queue, 'a'))?.state, 'dead', 'state')
    await engine.replay(queue, 'a')
    expectEqual((await untilState(context, 'a', 'done')).result, 3, 'result')
  },

  'lists are in order, page by page': async (context) => {
    const { engine, queue } = context
    for (let index = 0; index < 7; index += 1) await engine.add(queue, `t${index}`, { data: index })
    expectEqual(
      (await engine.list(queue, 'waiting')).map(({ id }) => id),
      ['t0', 't1', 't2', 't3', 't4', 't5', 't6'],
      'waiting',
    )
    for (let index = 0; index < 150; index += 1) await engine.add(`${queue}-2`, `t${index}`, { data: null })
    expectEqual((await engine.list(`${queue}-2`, 'waiting')).length, 100, 'the default page')
    engine.work(
      queue,
      async ({ data }) => {
        if (Number(data) % 2 === 1) throw new Error('fails once')
        return data
      },
      { concurrency: 1, attempts: 1 },
    )
    for (let index = 0; index < 7; index += 1) await untilState(context, `t${index}`, index % 2 === 1 ? 'dead' : 'done')
    const first = await engine.list(queue, 'done', { limit: 3 })
    const rest = await engine.list(queue, 'done', { limit: 3, after: first.at(-1)?.cursor })
    const ids = [...first, ...rest].map(({ id }) => id)
    expectEqual([ids.length, [...ids].sort()], [4, ['t0', 't2', 't4', 't6']], 'pages')
    const ends = [...first, ...rest].map(({ endedAt = 0 }) => endedAt)
    expectEqual(
      ends,
      [...ends].sort((one, other) => one - other),
      'order of the ends',
    )
  },

  'who reads on from the last cursor sees each task once, while others add and end them': async (context) => {
    const { engine, queue, open } = context
    const other = await open()
    const ids = Array.from({ length: 120 }, (_, index) => `t${index}`)
    const readOn = async (state: TaskState) => {
      const seen: string[] = []
      let after: string | undefined
      while (seen.length < ids.length) {
        const page = await engine.list(queue, state, { limit: 7, after })
        for (const { id, cursor } of page) {
          seen.push(id)
          after = cursor
        }
        await sleep(1)
      }
      expectEqual([...seen].sort(), [...ids].sort(), `tasks that are ${state}`)
    }
    const added = ids.map((id, index) => (index % 2 === 0 ? engine : other).add(queue, id, { data: null }))
    await Promise.all([readOn('waiting'), ...added])
    for (const one of [engine, other]) one.work(queue, async () => undefined, { concurrency: 5 })
    await readOn('done')
  },

  'a task that was not added does not exist': async ({ engine, queue }) => {
    expectEqual([await engine.get(queue, 'none')], [undefined], 'record')
    expectEqual([await engine.remove(queue, 'none'), await engine.replay(queue, 'none')], [false, false], 'changes')
  },
}
