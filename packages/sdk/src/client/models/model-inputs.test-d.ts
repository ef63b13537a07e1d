import { describe, expectTypeOf, test } from 'vitest'
import type { AnyModelId, ManyInput, ManyInputs, ModelId, ModelInput, RunBody } from './model-inputs.ts'

/** A declaration of models, as a program writes it. */
interface Inputs {
  'aurora-image': { prompt: string; num_images?: number }
  'drift-video': { prompt: string; seconds: number }
}

interface OnlyListed {
  onlyListedModels: true
}

// The methods of the client, with the map of models as a parameter: merging into the real one would change it for all tests.
declare function run<const Id extends AnyModelId<Inputs>>(
  model: ModelId<Id, Inputs>,
  input: ModelInput<NoInfer<Id>, Inputs>,
): Id
declare function strictRun<const Id extends AnyModelId<Inputs>>(
  model: ModelId<Id, Inputs, OnlyListed>,
  input: ModelInput<NoInfer<Id>, Inputs>,
): Id
declare function runMany<const Id extends AnyModelId<Inputs>, Input extends object>(
  model: ModelId<Id, Inputs>,
  inputs: ManyInputs<ManyInput<NoInfer<Id>, Input, Inputs>>,
): Input
declare function runOnce<const Id extends AnyModelId<Inputs>>(
  model: ModelId<Id, Inputs>,
  body: RunBody<NoInfer<Id>, Inputs>,
): Id
declare function openRun<const Id extends AnyModelId>(model: ModelId<Id>, input: ModelInput<NoInfer<Id>>): Id

describe('with a map of models', () => {
  test('a listed model takes its exact input', () => {
    expectTypeOf(run('aurora-image', { prompt: 'x' })).toEqualTypeOf<'aurora-image'>()
    run('drift-video', { prompt: 'x', seconds: 5 })
  })

  test('a wrong input of a listed model is an error', () => {
    // @ts-expect-error: a parameter is missing
    run('drift-video', { prompt: 'x' })
    // @ts-expect-error: a parameter is of a wrong type
    run('aurora-image', { prompt: 5 })
    // @ts-expect-error: there is no such parameter
    run('aurora-image', { prompt: 'x', num_image: 2 })
  })

  test('runMany and models.run check as run does', () => {
    runMany('aurora-image', [{ prompt: 'x', num_images: 3 }])
    // @ts-expect-error: a parameter is missing
    runMany('drift-video', [{ prompt: 'x' }])
    // @ts-expect-error: a parameter is of a wrong type
    runMany('aurora-image', [{ prompt: 5 }])
    // The error is on the line of the parameter.
    runMany('aurora-image', [
      { prompt: 'x' },
      {
        prompt: 'x',
        // @ts-expect-error: there is no such parameter
        num_image: 3,
      },
    ])
    const rows = new Set([{ prompt: 'x', num_image: 3 }])
    // @ts-expect-error: the rows have a parameter that there is not
    runMany('aurora-image', rows)
    expectTypeOf(runMany('not-listed', [{ anything: 1 }])).toEqualTypeOf<{ anything: number }>()
    runOnce('aurora-image', { input: { prompt: 'x' }, sync: false })
    // @ts-expect-error: there is no such parameter
    runOnce('aurora-image', { input: { prompt: 'x', num_image: 3 } })
  })

  test('a model that is not listed takes any parameters', () => {
    expectTypeOf(run('inkfield/poster-2', { anything: 1 })).toEqualTypeOf<'inkfield/poster-2'>()
  })

  test('an id that is only known at run time takes any parameters', () => {
    const id: string = 'from a database'
    run(id, { anything: 1 })
    strictRun(id, { anything: 1 })
    // @ts-expect-error: an input is an object of parameters all the same
    run(id, 'x')
  })

  test('a choice between listed ids is allowed', () => {
    const id = 'aurora-image' as 'aurora-image' | 'drift-video'
    run(id, { prompt: 'x', seconds: 5 })
  })
})

describe('with only the listed models allowed', () => {
  test('a literal id that is not listed is an error', () => {
    expectTypeOf(strictRun('aurora-image', { prompt: 'x' })).toEqualTypeOf<'aurora-image'>()
    // @ts-expect-error: a typing mistake
    strictRun('aurora-imgae', { prompt: 'x' })
  })
})

describe('without a map of models', () => {
  test('any id takes any parameters', () => {
    expectTypeOf<ModelId<'aurora-image'>>().toEqualTypeOf<'aurora-image'>()
    expectTypeOf<ModelId<string>>().toEqualTypeOf<string>()
    openRun('aurora-image', { prompt: 'x' })
  })

  test('an input may be of an interface or a class of the program', () => {
    interface ImageInput {
      prompt: string
    }
    class VideoInput {
      readonly prompt = 'waves'
    }
    const input: ImageInput = { prompt: 'x' }
    openRun('aurora-image', input)
    openRun('aurora-image', new VideoInput())
  })
})
