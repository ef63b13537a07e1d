import type { Job, Model, Output } from '@modelrun/contract'
import { describe, expectTypeOf, test } from 'vitest'
import type { ModelRun } from './client.ts'
import type { ApiPromise } from './http/api-promise.ts'
import type { JobHandle } from './job-handle.ts'
import type { CancelResult } from './jobs/job-operations.ts'
import type { RunResult } from './jobs/run-result.ts'
import type { AnyRunResponse } from './runs/run-operation.ts'

declare const client: ModelRun

type IsAny<T> = 0 extends 1 & T ? true : false

/** The names of the members of T whose parameters or result, itself or awaited, are `any`. */
type AnyIn<T> = {
  [K in keyof T]: T[K] extends (...parameters: infer P) => infer R
    ? true extends IsAny<P[number]> | IsAny<R> | IsAny<Awaited<R>>
      ? K
      : never
    : IsAny<T[K]> extends true
      ? K
      : never
}[keyof T]

describe('no method or field is any', () => {
  test('of the client and its resources', () => {
    expectTypeOf<AnyIn<ModelRun>>().toBeNever()
    expectTypeOf<AnyIn<ModelRun['models']>>().toBeNever()
    expectTypeOf<AnyIn<ModelRun['jobs']>>().toBeNever()
    expectTypeOf<AnyIn<ModelRun['files']>>().toBeNever()
    expectTypeOf<AnyIn<JobHandle>>().toBeNever()
  })

  test('and one that is would be found', () => {
    // biome-ignore lint/suspicious/noExplicitAny: the point of the test.
    expectTypeOf<AnyIn<{ good(): string; bad(): Promise<any> }>>().toEqualTypeOf<'bad'>()
  })
})

test('each method gives its exact type', () => {
  expectTypeOf(client.run('m', {})).toEqualTypeOf<ApiPromise<RunResult>>()
  expectTypeOf(client.submit('m', {})).toEqualTypeOf<ApiPromise<JobHandle>>()
  expectTypeOf(client.models.get('m')).toEqualTypeOf<ApiPromise<Model>>()
  expectTypeOf(client.models.run('m', { input: {} })).toEqualTypeOf<ApiPromise<AnyRunResponse>>()
  expectTypeOf(client.jobs.get('j')).toEqualTypeOf<ApiPromise<Job>>()
  expectTypeOf(client.jobs.cancel('j')).toEqualTypeOf<ApiPromise<CancelResult>>()
  expectTypeOf(client.jobs.attach('j').result()).toEqualTypeOf<Promise<RunResult>>()
})

test('an input is an object of parameters, of an interface too, and no list', () => {
  interface Poster {
    prompt: string
  }
  const work = (poster: Poster, bytes: Uint8Array, any: object) => {
    // @ts-expect-error a list
    void client.run('m', [poster])
    // @ts-expect-error bytes
    void client.models.run('m', { input: bytes })
    // @ts-expect-error lists
    void client.runMany('m', [[poster]])
    void client.submit('m', any)
    return [client.run('m', poster), client.runMany('m', [poster])] as const
  }
  type Many = ReturnType<typeof client.runMany<'m', Poster>>
  expectTypeOf(work).returns.toEqualTypeOf<readonly [ApiPromise<RunResult>, Many]>()
})

test('the status of a run response narrows its type (section 4.3)', () => {
  const narrow = (response: AnyRunResponse) => {
    switch (response.status) {
      case 'completed':
        return expectTypeOf(response.output).toEqualTypeOf<Output>()
      case 'processing':
        return expectTypeOf(response.message).toEqualTypeOf<string>()
      case 'queued':
        return expectTypeOf(response.request_id).toEqualTypeOf<string>()
      case 'unknown':
        return expectTypeOf(response.reported_status).toEqualTypeOf<string | undefined>()
      default:
        return expectTypeOf(response).toBeNever()
    }
  }
  expectTypeOf(narrow).parameter(0).toHaveProperty('job_id').toEqualTypeOf<string>()
})
