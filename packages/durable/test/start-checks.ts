import type { Task } from '@modelrun/kit'
import type { CheckContext, Checks } from '../../kit/test/engine/engine-check.ts'
import { expectEqual, expectTrue, heldHandler, sleep, until, untilState } from '../../kit/test/engine/engine-check.ts'

const LOCK_MS = 300

/** Stops this process for longer than a lock, as SIGSTOP does. */
function stall(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
}

/** Runs a task whose first run stalls, and returns what its runs saw. */
async function runStalled(
  { engine, queue }: CheckContext,
  handler: (task: Task) => Promise<unknown>,
): Promise<(readonly [lost: number, attempt: number])[]> {
  const runs: [number, number][] = []
  await engine.add(queue, 'a', { data: null })
  engine.work(
    queue,
    async (task) => {
      runs.push([task.lost, task.attempt])
      if (runs.length === 1) await handler(task)
      return undefined
    },
    { lockMs: LOCK_MS, startMark: 'handler' },
  )
  await untilState({ engine, queue }, 'a', 'done')
  return runs
}

/** When a run counts as started, and as lost. */
export const START_CHECKS: Checks = {
  'a run that was not marked as started does not count as lost': async (context) => {
    const runs = await runStalled(context, async (task) => {
      stall()
      await until(() => task.signal.aborted)
    })
    expectEqual(
      runs,
      [
        [0, 1],
        [0, 1],
      ],
      'runs',
    )
  },

  'a run that was marked as started counts as lost': async (context) => {
    const runs = await runStalled(context, async (task) => {
      expectEqual([await task.markStarted(), await task.markStarted()], [true, true], 'marks')
      stall()
      await until(() => task.signal.aborted)
    })
    expectEqual(
      runs,
      [
        [0, 1],
        [1, 1],
      ],
      'runs',
    )
  },

  'a process that was stopped for longer than its lock cannot mark its run as started': async (context) => {
    const { engine, queue, open } = context
    const other = await open()
    const held = heldHandler()
    const marks: boolean[] = []
    const runs = await runStalled(context, async (task) => {
      stall()
      marks.push(await task.markStarted())
      other.work(queue, held.handler, { lockMs: LOCK_MS, startMark: 'handler' })
      await until(() => task.signal.aborted)
      marks.push(await task.markStarted())
      held.release()
    })
    // Another run may have ended the task before.
    await until(() => marks.length === 2)
    expectEqual(marks, [false, false], 'marks')
    for (const [lost] of [...runs, ...held.started.map((task) => [task.lost])]) expectEqual(lost, 0, 'lost')
    expectEqual((await engine.get(queue, 'a'))?.state, 'done', 'state')
  },

  'a run that was marked as started and ended does not count as lost': async ({ engine, queue }) => {
    const runs: [number, number][] = []
    await engine.add(queue, 'a', { data: null })
    engine.work(
      queue,
      async ({ lost, attempt, markStarted }) => {
        runs.push([lost, attempt])
        expectTrue(await markStarted(), 'the run could not be marked')
        if (runs.length < 3) throw new Error('once more')
        return undefined
      },
      { startMark: 'handler', backoffMs: 10 },
    )
    await untilState({ engine, queue }, 'a', 'done')
    expectEqual(
      runs,
      [
        [0, 1],
        [0, 2],
        [0, 3],
      ],
      'runs',
    )
  },

  'a run that is marked while its lock is renewed keeps its lock': async ({ engine, queue }) => {
    let isAborted = false
    await engine.add(queue, 'a', { data: null })
    engine.work(
      queue,
      async ({ signal, markStarted }) => {
        const endAt = performance.now() + 3 * LOCK_MS
        while (performance.now() < endAt) {
          expectTrue(await markStarted(), 'the run could not be marked')
          await sleep(1)
        }
        isAborted = signal.aborted
        return undefined
      },
      { lockMs: LOCK_MS, startMark: 'handler', attempts: 1 },
    )
    await untilState({ engine, queue }, 'a', 'done')
    expectEqual(isAborted, false, 'aborted')
  },
}
