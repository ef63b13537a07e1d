/**
 * The promises of an engine as tests, for those who write one.
 *
 * @module
 */
import type { Engine } from '../engine/engine.ts'
import { ADD_CHECKS } from './add-checks.ts'
import { END_CHECKS } from './end-checks.ts'
import type { CheckContext, EngineCheck } from './engine-check.ts'
import { SHARE_CHECKS } from './share-checks.ts'

export type { EngineCheck } from './engine-check.ts'

/** A store to check an engine on. */
export interface EngineCheckOptions {
  /** Opens an engine. All engines that it opens share one store, as those of several processes do. */
  open(): Engine | Promise<Engine>
}

/**
 * Checks of everything that {@link Engine} promises. Each takes less than five seconds, and leaves what it added behind.
 *
 * @example
 * for (const { name, run } of engineChecks({ open: () => createMyEngine(store) })) test(name, run)
 */
export function engineChecks({ open }: EngineCheckOptions): readonly EngineCheck[] {
  const checks = { ...ADD_CHECKS, ...END_CHECKS, ...SHARE_CHECKS }
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
