import { describe, expectTypeOf, test } from 'vitest'
import type { ModelId, ModelInput } from './model-inputs.ts'

/** What a program's own declaration of its models looks like. */
interface Inputs {
  'aurora-image': { prompt: string; num_images?: number }
  'drift-video': { prompt: string; seconds: number }
}

/** `client.run`, with the map of models as a parameter: merging into the real one would change it for all tests. */
declare function run<const Id extends string>(model: ModelId<Id, Inputs>, input: ModelInput<NoInfer<Id>, Inputs>): Id

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

  test('a literal id that is not listed is an error', () => {
    // @ts-expect-error: a typing mistake
    run('aurora-imgae', { prompt: 'x' })
  })

  test('an id that is only known at run time takes any parameters', () => {
    const id: string = 'from a database'
    run(id, { anything: 1 })
    // @ts-expect-error: an input is an object of parameters all the same
    run(id, 'x')
  })

  test('a choice between listed ids is allowed', () => {
    const id = 'aurora-image' as 'aurora-image' | 'drift-video'
    run(id, { prompt: 'x', seconds: 5 })
  })
})

describe('without a map of models', () => {
  test('any id takes any parameters', () => {
    expectTypeOf<ModelId<'aurora-image'>>().toEqualTypeOf<'aurora-image'>()
    expectTypeOf<ModelId<string>>().toEqualTypeOf<string>()
    expectTypeOf<ModelInput<'aurora-image'>>().toEqualTypeOf<Record<string, unknown>>()
  })
})
