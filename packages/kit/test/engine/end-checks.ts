import type { Json, Task } from '../../src/engine/engine.ts'
import { NonRetriableError, PauseQueue, RetryAfterError } from '../../src/engine/task-ends.ts'
import { type Checks, expectEqual, expectTrue, heldHandler, sleep, until, untilState } from './engine-check.ts'

/** How a run of a task ends. */
export const END_CHECKS: Checks = {
  'a task that fails runs again, each time later, and is dead after its attempts': async (context) => {
    const { engine, queue } = context
    const starts: number[] = []
    const attempts: number[] = []
    await engine.add(queue, 'a', { data: null })
    engine.work(
      queue,
      async ({ attempt }) => {
        starts.push(performance.now())
        attempts.push(attempt)
        throw Object.assign(new Error('no paint'), { code: 'paint' })
      },
      { attempts: 3, backoffMs: 100 },
    )
    const { error } = await untilState(context, 'a', 'dead')
    expectEqual([attempts, error], [[1, 2, 3], { code: 'paint', message: 'no paint' }], 'attempts and error')
    const [first = 0, second = 0, third = 0] = starts
    expectTrue(second - first >= 45 && third - second >= 95, `backoff: ${second - first} ms, ${third - second} ms`)
  },

  'what cannot succeed is dead at once, also by an error of another copy of the package': async (context) => {
    const { engine, queue } = context
    const runs: string[] = []
    const gone = new NonRetriableError('gone', 'The model is gone.')
    const errors = { own: gone, foreign: Object.assign(new Error(gone.message), { name: gone.name, code: gone.code }) }
    engine.work(queue, async ({ id }) => {
      runs.push(id)
      throw Object(errors)[id]
    })
    for (const id of Object.keys(errors)) {
      await engine.add(queue, id, { data: null })
      const { error } = await untilState(context, id, 'dead')
      expectEqual(error, { code: 'gone', message: 'The model is gone.' }, 'error')
    }
    expectEqual(runs, ['own', 'foreign'], 'runs')
  },

  'a task that is not ready runs again later, and the attempt does not count': async (context) => {
    const { engine, queue } = context
    const attempts: number[] = []
    const startedAt = performance.now()
    await engine.add(queue, 'a', { data: null })
    engine.work(
      queue,
      async ({ attempt }) => {
        attempts.push(attempt)
        if (attempts.length < 6) throw new RetryAfterError(40)
        return undefined
      },
      { attempts: 2 },
    )
    await untilState(context, 'a', 'done')
    expectEqual(attempts, [1, 1, 1, 1, 1, 1], 'attempts')
    expectTrue(performance.now() - startedAt >= 190, 'it ran again before its time')
  },

  'a pause holds every task of the queue, on every process, and no other queue': async (context) => {
    const { engine, queue, open } = context
    const other = await open()
    const starts: number[] = []
    let isPaused = false
    const handler = async () => {
      starts.push(performance.now())
      if (isPaused) return undefined
      isPaused = true
      throw new PauseQueue(500)
    }
    await engine.add(queue, 'a', { data: null })
    engine.work(queue, handler)
    await until(() => isPaused)
    await untilState(context, 'a', 'waiting')
    other.work(queue, handler)
    other.work(`${queue}-2`, async () => undefined)
    await engine.add(queue, 'b', { data: null })
    await engine.add(`${queue}-2`, 'c', { data: null })
    await untilState({ engine, queue: `${queue}-2` }, 'c', 'done')
    await untilState(context, 'a', 'done')
    await untilState(context, 'b', 'done')
    const [first = 0, ...later] = starts
    expectTrue(Math.min(...later) - first >= 480, 'a task started in the pause')
  },

  'a dead task that is replayed starts from its first attempt': async (context) => {
    const { engine, queue } = context
    const attempts: number[] = []
    let isBroken = true
    await engine.add(queue, 'a', { data: 7 })
    engine.work(
      queue,
      async ({ attempt, data }) => {
        attempts.push(attempt)
        if (isBroken) throw new Error('broken')
        return data
      },
      { attempts: 2, backoffMs: 10 },
    )
    await untilState(context, 'a', 'dead')
    isBroken = false
    expectEqual(await engine.replay(queue, 'a'), true, 'replay')
    const { result, error } = await untilState(context, 'a', 'done')
    expectEqual([attempts, result, error], [[1, 2, 1], 7, undefined], 'attempts, result, error')
    expectEqual(await engine.replay(queue, 'a'), false, 'replay of what is done')
  },

  'a removed task is gone, and its id is free; one that runs stays': async (context) => {
    const { engine, queue } = context
    const held = heldHandler()
    await engine.add(queue, 'a', { data: 1 })
    expectEqual(await engine.remove(queue, 'a'), true, 'removal')
    expectEqual([await engine.get(queue, 'a')], [undefined], 'record')
    await engine.add(queue, 'a', { data: 2 })
    engine.work(queue, held.handler)
    await until(() => held.started.length === 1)
    expectEqual([held.started[0]?.data, await engine.remove(queue, 'a')], [2, false], 'data, and removal while it runs')
    held.release()
    await untilState(context, 'a', 'done')
  },

  'a handler that throws at once, or returns what is not JSON, has failed': async (context) => {
    const { engine, queue } = context
    for (const id of ['throws', 'big']) await engine.add(queue, id, { data: null })
    const handler = ({ id }: Task) => {
      if (id === 'throws') throw new Error('no')
      return Promise.resolve(1n as unknown as Json) // what JavaScript allows
    }
    engine.work(queue, handler, { attempts: 1 })
    for (const id of ['throws', 'big']) await untilState(context, id, 'dead')
  },

  'a handler that hangs frees its place, is aborted, and has failed': async (context) => {
    const { engine, queue } = context
    const aborted: boolean[] = []
    await engine.add(queue, 'hangs', { data: null })
    engine.work(
      queue,
      async ({ id, signal }) => {
        if (id !== 'hangs') return undefined
        signal.addEventListener('abort', () => aborted.push(true))
        return new Promise(() => {})
      },
      { concurrency: 1, maxRunMs: 200, attempts: 1 },
    )
    await sleep(20)
    await engine.add(queue, 'next', { data: null })
    await untilState(context, 'next', 'done')
    await untilState(context, 'hangs', 'dead')
    expectEqual(aborted, [true], 'aborts')
  },
}
