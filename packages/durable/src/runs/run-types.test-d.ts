import { expectTypeOf, test } from 'vitest'
import type { StepRun } from './run-types.ts'

test('the state of a step says which members it has, and no state is left out', () => {
  const read = (run: StepRun) => {
    switch (run.state) {
      case 'waiting':
      case 'running':
        return expectTypeOf(run.afterMs).toEqualTypeOf<number>()
      case 'succeeded':
        return expectTypeOf(run.output).not.toBeUndefined()
      case 'failed':
      case 'cancelled':
      case 'rejected':
      case 'unknown':
        return expectTypeOf(run.error.code).toEqualTypeOf<string>()
      default:
        return expectTypeOf(run).toBeNever()
    }
  }
  expectTypeOf(read).parameter(0).toEqualTypeOf<StepRun>()
})
