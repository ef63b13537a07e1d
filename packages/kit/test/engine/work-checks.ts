import { nodeBuiltin } from '../../src/node-builtin.ts'
import { type Checks, expectEqual, expectTrue, heldHandler, sleep, until, untilState } from './engine-check.ts'

/** What workers do together, in one process or several. */
export const WORK_CHECKS: Checks = {
  'a task runs in the async context in which the engine was created, not in that of who starts a worker or adds it':
    async (context) => {
      const { engine, queue } = context
      const hooks = nodeBuiltin('node:async_hooks')
      // Workers without the compatibility with Node have no such contexts.
      if (hooks === undefined) return
      const tenants = new hooks.AsyncLocalStorage<string>()
      const seen: unknown[] = []
      const add = (id: string) => tenants.run(id, () => engine.add(queue, id, { data: null, delayMs: 50 }))
      tenants.run('starter', () =>
        engine.work(queue, async () => {
          seen.push(tenants.getStore())
          return null
        }),
      )
      for (const id of ['a', 'b']) await add(id)
      for (const id of ['a', 'b']) await untilState(context, id, 'done')
      expectEqual(seen, [undefined, undefined], 'contexts of the runs')
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
    const held = heldHandler()
    engine.work(queue, held.handler, { concurrency: 4 })
    const ids = Array.from({ length: 20 }, (_, index) => `t${index}`)
    await Promise.all(ids.map((id) => engine.add(queue, id, { data: null })))
    await until(() => held.started.length === 4)
    await sleep(50)
    expectEqual(held.started.length, 4, 'tasks at once')
    held.release()
    for (const id of ids) await untilState({ engine, queue }, id, 'done')
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
    expectTrue(tookMs >= 850, `30 starts took ${tookMs} ms`)
  },

  'a worker that stops lets what runs end, and leaves the rest to others': async ({ engine, queue, open }) => {
    const held = heldHandler()
    const worker = engine.work(queue, held.handler, { concurrency: 2 })
    for (const id of ['a', 'b', 'c', 'd']) await engine.add(queue, id, { data: null })
    await until(() => held.started.length === 2)
    let isStopped = false
    const stopping = worker.stop().then(() => {
      isStopped = true
    })
    await sleep(50)
    expectEqual([isStopped, held.started.length], [false, 2], 'stopped, started')
    held.release()
    await stopping
    for (const state of ['waiting', 'done'] as const) expectEqual((await engine.list(queue, state)).length, 2, state)
    ;(await open()).work(queue, async () => undefined)
    for (const id of ['a', 'b', 'c', 'd']) await untilState({ engine, queue }, id, 'done')
  },

  'a task is renewed while its handler runs, however short its lock': async ({ engine, queue, open }) => {
    const held = heldHandler()
    engine.work(queue, held.handler, { lockMs: 2_000 })
    await engine.add(queue, 'a', { data: null })
    await until(() => held.started.length === 1)
    ;(await open()).work(queue, held.handler, { lockMs: 2_000 })
    await sleep(3_000)
    expectEqual([held.started.length, held.started[0]?.signal.aborted], [1, false], 'starts, aborted')
    expectTrue((held.started[0]?.msLeft() ?? 0) > 0, 'the lock was not renewed')
    held.release()
    await untilState({ engine, queue }, 'a', 'done')
  },
}
