import type { TaskFailure } from '@modelrun/kit'
import type { Output } from 'modelrun'
import { expectTypeOf, test } from 'vitest'
import type { Run, StepRun } from './run-types.ts'
import type { Runs } from './runs-options.ts'

test('the state of a step or a run says which members it has, and no state is left out', () => {
  const read = (run: StepRun | Run) => {
    switch (run.state) {
      case 'waiting':
      case 'running':
        return expectTypeOf(run.error).toEqualTypeOf<TaskFailure | undefined>()
      case 'succeeded':
        return expectTypeOf(run.output).toEqualTypeOf<Output>()
      case 'failed':
      case 'cancelled':
      case 'rejected':
      case 'unknown':
        return expectTypeOf(run.error.code).toEqualTypeOf<string>()
      default:
        return expectTypeOf(run).toBeNever()
    }
  }
  expectTypeOf(read).parameter(0).toEqualTypeOf<StepRun | Run>()
})

interface Poster {
  prompt: string
}

test('an input may be of any type of the caller, and items keep theirs', () => {
  const work = async (runs: Runs, posters: { key: string; input: Poster; order: number }[]) => {
    for await (const { item } of runs.runEach('m', posters)) expectTypeOf(item.order).toEqualTypeOf<number>()
    for (const { key, input } of posters) await runs.send(key, 'm', input).then(() => runs.add(key, 'm', input))
  }
  expectTypeOf(work).returns.toEqualTypeOf<Promise<void>>()
})

test('an input is no list, and an item has no misspelt limit', () => {
  const work = (runs: Runs, bytes: Uint8Array, posters: Poster[]) => {
    // @ts-expect-error bytes
    void runs.add('a', 'm', bytes)
    // @ts-expect-error a list
    void runs.send('a', 'm', posters)
    // @ts-expect-error a misspelt limit
    return runs.runEach('m', [{ key: 'a', input: { prompt: 'x' }, maxCredit: 5 }])
  }
  expectTypeOf(work).returns.toExtend<AsyncGenerator<{ item: { key: string } }>>()
})
