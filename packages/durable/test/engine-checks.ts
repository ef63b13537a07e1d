import { type EngineCheck, testsOf } from '../../kit/test/engine/engine-check.ts'
import { TASK_CHECKS } from '../../kit/test/engine/task-checks.ts'
import type { Engine } from '../src/engine/engine.ts'
import { ONCE_CHECKS } from './once-checks.ts'
import { SHARE_CHECKS } from './share-checks.ts'
import { START_CHECKS } from './start-checks.ts'

/**
 * Returns a test for each promise of {@link Engine}.
 *
 * @param open opens an engine. All opened engines share one store, like the engines of several processes
 *
 * @example
 * it.each(engineChecks(() => createMyEngine(store)))('$name', ({ run }) => run())
 */
export function engineChecks(open: () => Engine | Promise<Engine>): readonly EngineCheck[] {
  return testsOf<Engine>({ ...TASK_CHECKS, ...SHARE_CHECKS, ...START_CHECKS, ...ONCE_CHECKS }, open)
}
