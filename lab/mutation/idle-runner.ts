import { performance } from 'node:perf_hooks'
import { type RunnerTestCase, TestRunner } from 'vitest'

// Not those of a test, whose time is virtual.
const { clearInterval, setInterval } = globalThis

/** No test of ours waits that long for anything but its own work: time in it is virtual. */
const MAX_IDLE_MS = 2_000
const CHECK_MS = 200

/**
 * Ends a test that waits for something which a mutant took away. It counts how long the thread had nothing to do, and
 * not how long the test took: a busy machine must not look like a mutant that was noticed.
 */
export default class IdleRunner extends TestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    const { promise: isIdle, reject } = Promise.withResolvers<never>()
    const before = performance.eventLoopUtilization()
    const timer = setInterval(() => {
      const { idle } = performance.eventLoopUtilization(before)
      if (idle > MAX_IDLE_MS) reject(new Error(`The test waited for ${Math.round(idle)} ms for nothing.`))
    }, CHECK_MS).unref()
    await Promise.race([TestRunner.getTestFn(test)(), isIdle]).finally(() => clearInterval(timer))
  }
}
