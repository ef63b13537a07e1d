import type { Model } from '@modelrun/contract'
import { createElement } from 'react'
import { expectTypeOf, test } from 'vitest'
import type { RunResult } from '../client/jobs/run-result.ts'
import { ModelForm } from './model-form.tsx'
import type { RunProgress } from './run-state.ts'
import type { useRun } from './use-run.ts'

declare const read: ReturnType<typeof useRun<'aurora-image'>>

test('the status says which of progress, result and error there is', () => {
  if (read.status === 'running') expectTypeOf(read.progress).toEqualTypeOf<RunProgress>()
  if (read.status === 'succeeded') expectTypeOf(read.result).toEqualTypeOf<RunResult>()
  if (read.status === 'unknown') expectTypeOf(read.error).toEqualTypeOf<Error>()
  if (read.status === 'cancelled') expectTypeOf(read.error).toEqualTypeOf<undefined>()
})

test('a form takes the run of any model', () => {
  const exact: (input: { prompt: string }) => void = () => {}
  const model = {} as Model
  createElement(ModelForm, { model, onSubmit: exact })
  createElement(ModelForm, { model: 'aurora-image', onSubmit: read.run })
  // @ts-expect-error: the input of a run is an object
  read.run('a red fox')
})
