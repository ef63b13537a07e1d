import { NonRetriableError, type OnceOptions, type OnceResult, RetryAfterError, type Task } from '@modelrun/kit'
import type { CheckContext, Checks } from '../../kit/test/engine/engine-check.ts'
import { expectEqual, expectTrue, heldHandler, sleep, until, untilState } from '../../kit/test/engine/engine-check.ts'
import type { Engine } from '../src/engine/engine.ts'

type Handler = (task: Task) => Promise<undefined>

const FREE = { isRun: false, isRunning: false, waitMs: 0 }

async function add({ engine, queue }: CheckContext, ...ids: string[]): Promise<void> {
  for (const id of ids) await engine.add(queue, id, { data: id })
}

/** Calls until the task has run here. */
async function untilRun(call: () => Promise<OnceResult>): Promise<OnceResult> {
  for (;;) {
    const result = await call()
    if (result.isRun) return result
    await sleep(20)
  }
}

/** Notes the ids of the tasks that run. */
function counted(): { handler: Handler; ids: string[] } {
  const ids: string[] = []
  const handler: Handler = async ({ id }) => {
    ids.push(id)
    return undefined
  }
  return { handler, ids }
}

/** How an engine runs one task by its id. */
export const ONCE_CHECKS: Checks<Engine> = {
  'one task runs by its id, with its data, and the others of its queue do not': async (context) => {
    const { engine, queue } = context
    await add(context, 'a', 'b', 'c')
    const seen: unknown[] = []
    const handler = async ({ id, data, attempt, lost }: Task) => {
      seen.push([id, data, attempt, lost])
      return 'made'
    }
    const result = await engine.once(queue, handler, { id: 'b' })
    const record = await engine.get(queue, 'b')
    expectEqual([result, record?.state, record?.result], [{ isRun: true }, 'done', 'made'], 'end')
    expectEqual(seen, [['b', 'b', 1, 0]], 'runs')
    expectEqual(await engine.count(queue), { waiting: 2, running: 0, done: 1, dead: 0 }, 'tasks')
  },

  'a task that is missing, done or dead does not run, and there is nothing to wait for': async (context) => {
    const { engine, queue } = context
    const { handler, ids } = counted()
    await add(context, 'done', 'dead')
    await engine.once(queue, handler, { id: 'done' })
    const fails = () => Promise.reject(new NonRetriableError('gone', 'The model is gone.'))
    expectEqual(await engine.once(queue, fails, { id: 'dead' }), { isRun: true }, 'the run that fails for good')
    for (const id of ['missing', 'done', 'dead']) expectEqual(await engine.once(queue, handler, { id }), FREE, id)
    expectEqual(ids, ['done'], 'runs')
  },

  'a task that another process runs does not run, by a worker or by its id': async (context) => {
    const { engine, queue, open } = context
    const other = await open()
    const held = heldHandler()
    await add(context, 'once', 'worked')
    const first = other.once(queue, held.handler, { id: 'once' })
    await until(() => held.started.length === 1)
    const worker = other.work(queue, held.handler)
    await until(() => held.started.length === 2)
    for (const id of ['once', 'worked']) {
      const { isRun, ...rest } = await engine.once(queue, held.handler, { id })
      expectEqual([isRun, 'isRunning' in rest && rest.isRunning], [false, true], id)
      expectTrue('waitMs' in rest && rest.waitMs > 0, 'there is nothing to wait for')
    }
    held.release()
    await Promise.all([first, worker.stop()])
    expectEqual(held.started.length, 2, 'runs')
  },

  'of many callers in several processes one runs a task, also beside a worker and with many tasks before it': async (
    context,
  ) => {
    const { engine, queue, open } = context
    const engines = [engine, await open(), await open()]
    const { handler, ids } = counted()
    const wanted = Array.from({ length: 60 }, (_, index) => `t${index}`)
    await add(context, ...wanted)
    const calls = engines.flatMap((one) =>
      wanted.slice(-10).map((id) => one.once(queue, handler, { id, startMark: 'handler' })),
    )
    const worker = engine.work(queue, handler, { concurrency: 2 })
    await Promise.all(calls)
    for (const id of wanted) await untilState(context, id, 'done')
    await worker.stop()
    expectEqual([...ids].sort(), [...wanted].sort(), 'runs')
  },

  'a task that is not due, or whose queue is paused, waits, and runs early only if it is asked for': async (
    context,
  ) => {
    const { engine, queue } = context
    const { handler, ids } = counted()
    await engine.add(queue, 'later', { data: null, delayMs: 60_000 })
    const once = (options: Partial<OnceOptions> = {}) => engine.once(queue, handler, { id: 'later', ...options })
    const waitMs = async (result: Promise<OnceResult>) => {
      const { isRun, ...rest } = await result
      expectTrue(!isRun && 'isRunning' in rest && !rest.isRunning, 'it ran')
      return 'waitMs' in rest ? rest.waitMs : 0
    }
    const dueMs = await waitMs(once())
    expectTrue(dueMs > 50_000 && dueMs <= 60_000, `it waits ${dueMs} ms instead of 60,000`)
    await engine.pause(queue)
    expectTrue((await waitMs(once({ isEarly: true }))) > 0, 'it does not wait for the end of the pause')
    await engine.add(queue, 'next', { data: null })
    expectEqual(await once({ id: 'next', ignoresPause: true }), { isRun: true }, 'the run in a pause')
    await engine.resume(queue)
    expectEqual([await once({ isEarly: true }), ids], [{ isRun: true }, ['next', 'later']], 'the early run')
  },

  'a rate takes a start only when the task runs, and lets the next one wait': async (context) => {
    const { engine, queue } = context
    const { handler, ids } = counted()
    const once = (id: string) => engine.once(queue, handler, { id, rate: { max: 1, perMs: 60_000 } })
    await engine.add(queue, 'later', { data: null, delayMs: 60_000 })
    await add(context, 'a', 'b')
    for (const id of ['later', 'missing']) expectEqual((await once(id)).isRun, false, id)
    expectEqual(await once('a'), { isRun: true }, 'the first start')
    const { isRun, ...rest } = await once('b')
    const waitMs = 'waitMs' in rest ? rest.waitMs : 0
    expectTrue(!isRun && waitMs > 30_000 && waitMs <= 64_000, `the next start waits ${waitMs} ms instead of a minute`)
    expectEqual(ids, ['a'], 'runs')
    const faster = engine.once(queue, handler, { id: 'b', rate: { max: 10, perMs: 1_000 } })
    expectEqual([await faster, ids], [{ isRun: true }, ['a', 'b']], 'the start with a higher rate')
  },

  'a task that fails or is not ready waits as long as it says, with its attempts': async (context) => {
    const { engine, queue } = context
    const attempts: number[] = []
    await add(context, 'a')
    const once = (error: Error) =>
      engine.once(
        queue,
        async ({ attempt }) => {
          attempts.push(attempt)
          throw error
        },
        { id: 'a', isEarly: true, attempts: 2, backoffMs: 60_000 },
      )
    const delayMs = async (error: Error) => {
      const result = await once(error)
      return result.isRun ? result.delayMs : 'not run'
    }
    expectEqual(await delayMs(new RetryAfterError(70_000)), 70_000, 'wait of a task that is not ready')
    const backoffMs = Number(await delayMs(new Error('no paint')))
    expectTrue(backoffMs >= 30_000 && backoffMs <= 60_000, `the backoff is ${backoffMs} ms`)
    expectEqual([await delayMs(new Error('no paint')), attempts], [undefined, [1, 1, 2]], 'the last attempt')
    expectEqual((await engine.get(queue, 'a'))?.state, 'dead', 'state')
  },

  'a caller that was stopped for longer than its lock can neither mark nor end its run; the next one has a higher fence':
    async (context) => {
      const { engine, queue, open } = context
      const other = await open()
      const runs: Task[] = []
      const marks: boolean[] = []
      const options = { id: 'a', lockMs: 1_000, startMark: 'handler' } as const
      const stalling = async (task: Task) => {
        runs.push(task)
        marks.push(await task.markStarted())
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
        const next = async (again: Task) => {
          runs.push(again)
          marks.push(await again.markStarted(), await task.markStarted())
          return 'second'
        }
        await untilRun(() => other.once(queue, next, options))
        return 'first'
      }
      await add(context, 'a')
      while (runs.length === 0) await engine.once(queue, stalling, options)
      const { result } = await untilState(context, 'a', 'done')
      expectEqual([result, marks], ['second', [true, true, false]], 'end and marks')
      expectEqual(
        runs.map(({ lost }) => lost),
        [0, 1],
        'lost',
      )
      expectTrue(Number(runs[1]?.fence) > Number(runs[0]?.fence), 'the fence did not rise')
    },
}
