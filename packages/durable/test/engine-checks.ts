/**
 * The promises of an engine as tests, for authors of engines.
 *
 * @module
 */
import type { Engine } from '../src/engine/engine.ts'
import { ADD_CHECKS } from './add-checks.ts'
import { END_CHECKS } from './end-checks.ts'
import type { CheckContext, EngineCheck } from './engine-check.ts'
import { SHARE_CHECKS } from './share-checks.ts'
import { START_CHECKS } from './start-checks.ts'

export type { EngineCheck } from './engine-check.ts'

/** Options of `engineChecks`. */
export interface EngineCheckOptions {
  /** Opens an engine. All opened engines share one store, like the engines of several processes. */
  open(): Engine | Promise<Engine>
}

/**
 * Returns a check for each promise of {@link Engine}. Each takes less than five seconds, and does not remove its tasks.
 *
 * @example
 * for (const { name, run } of engineChecks({ open: () => createMyEngine(store) })) test(name, run)
 */
export function engineChecks({ open }: EngineCheckOptions): readonly EngineCheck[] {
  const checks = { ...ADD_CHECKS, ...END_CHECKS, ...SHARE_CHECKS, ...START_CHECKS }
  return Object.entries(checks).map(([name, check]) => ({ name, run: () => runCheck(open, check) }))
}

async function runCheck(open: EngineCheckOptions['open'], check: (context: CheckContext) => Promise<void>) {
  const opened: Engine[] = []
  const openOne = async () => {
    const engine = await open()
    opened.push(engine)
    return engine
  }
  try {
    const engine = await openOne()
    await engine.setup()
    await check({ engine, open: openOne, queue: `check-${crypto.randomUUID()}` })
  } finally {
    await Promise.all(opened.map((engine) => engine.close()))
  }
}
