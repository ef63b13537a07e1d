import { ModelRun } from 'modelrun'
import { createProxy, type ModelRunProxy } from 'modelrun/proxy'
import { expectTypeOf, test } from 'vitest'
import type { ProxyClient } from './proxy-options.ts'

test('a client fits, and what an environment may lack', () => {
  expectTypeOf<ModelRun>().toExtend<ProxyClient>()
  const authorize = async (request: Request) => {
    const session: { userId: string } | null = await Promise.resolve(request.headers.has('x') ? { userId: '1' } : null)
    return session && { user: session.userId }
  }
  const create = () =>
    createProxy({ client: new ModelRun(), models: ['a'], secret: process.env.MODELRUN_SECRET, authorize })
  expectTypeOf(create).returns.toEqualTypeOf<ModelRunProxy>()
})

test('the handler fits where frameworks ask for one', () => {
  type Handle = ModelRunProxy['handle']
  type NextRoute = (request: Request, context: { params: Promise<{ path: string[] }> }) => Promise<Response>
  expectTypeOf<Handle>().toExtend<NextRoute>()
  interface ExecutionContext {
    waitUntil(promise: Promise<unknown>): void
    passThroughOnException(): void
  }
  expectTypeOf<Handle>().toExtend<(request: Request, context: ExecutionContext) => Promise<Response>>()
})

test('the list of models is required', () => {
  // @ts-expect-error it is missing
  void (() => createProxy({ client: new ModelRun(), secret: 'x' }))
})
