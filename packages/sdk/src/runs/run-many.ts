import type { Core } from '../core.ts'
import { runDurable } from './run-durable.ts'
import type { SettledRun } from './run-many-options.ts'
import { type RunManyCall, RunPool } from './run-pool.ts'

/** Runs a model on many inputs and yields each run as it ends. */
export async function* runMany<I extends object>(
  core: Core,
  call: RunManyCall<I>,
): AsyncGenerator<SettledRun<I>, void, undefined> {
  if (call.options.durable !== undefined) return yield* runDurable(core, call, call.options.durable)
  const pool = new RunPool(core, call)
  try {
    for (let run = await pool.next(); run; run = await pool.next()) yield run
  } finally {
    pool.leave()
  }
}
