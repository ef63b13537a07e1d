import { expectTypeOf, test } from 'vitest'
import type { RunResult } from '../client/jobs/run-result.ts'
import type { RunProgress } from './run-state.ts'
import type { useRun } from './use-run.ts'

declare const read: ReturnType<typeof useRun<'aurora-image'>>

test('the status says which of progress, result and error there is', () => {
  if (read.status === 'running') expectTypeOf(read.progress).toEqualTypeOf<RunProgress>()
  if (read.status === 'succeeded') expectTypeOf(read.result).toEqualTypeOf<RunResult>()
  if (read.status === 'unknown') expectTypeOf(read.error).toEqualTypeOf<Error>()
  if (read.status === 'cancelled') expectTypeOf(read.error).toEqualTypeOf<undefined>()
})

test('the input of a run is an object', () => {
  read.run({ prompt: 'a red fox' })
  // @ts-expect-error: a string
  read.run('a red fox')
})
