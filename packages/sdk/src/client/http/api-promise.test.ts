import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { settle } from '../../../test/manual-clock.ts'
import { ApiPromise } from './api-promise.ts'

const response = new Response(null, { status: 200 })

const succeeding = () => new ApiPromise(Promise.resolve({ data: 'data', response, requestId: 'req_1', attempts: [] }))
const failing = () => new ApiPromise<string>(Promise.reject(new Error('no')))

describe('ApiPromise', () => {
  test('gives the data, the response and the id of the request', async () => {
    const whole = { data: 'data', response, requestId: 'req_1', attempts: [] }
    await expect(succeeding().withResponse()).resolves.toEqual(whole)
    await expect(failing().withResponse()).rejects.toThrow('no')
  })

  test('is a promise in then, catch and finally', async () => {
    const hook = vi.fn()
    await expect(succeeding().then((data) => data.length)).resolves.toBe(4)
    await expect(failing().catch(() => 'caught')).resolves.toBe('caught')
    await expect(succeeding().catch(hook).finally(hook)).resolves.toBe('data')
    await expect(failing().finally(hook)).rejects.toThrow('no')
    expect(hook).toHaveBeenCalledTimes(2)
  })

  test('is a promise to the combinators', async () => {
    expect(succeeding()).toBeInstanceOf(Promise)
    await expect(Promise.all([succeeding(), 1])).resolves.toEqual(['data', 1])
    await expect(Promise.allSettled([failing()])).resolves.toMatchObject([{ status: 'rejected' }])
    await expect(Promise.race([succeeding()])).resolves.toBe('data')
  })
})

describe('a rejection of an ApiPromise', () => {
  const unhandled: unknown[] = []
  const listen = (reason: unknown) => void unhandled.push(reason)
  let others: NodeJS.UnhandledRejectionListener[] = []

  beforeEach(() => {
    unhandled.length = 0
    // The test runner fails at what these tests cause on purpose.
    others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', listen)
  })

  afterEach(() => {
    process.off('unhandledRejection', listen)
    for (const other of others) process.on('unhandledRejection', other)
  })

  test('without a handler is reported once', async () => {
    void failing()
    await settle()
    expect(unhandled).toHaveLength(1)
  })

  test('that one of two derived promises handles is reported once, for the other', async () => {
    const promise = failing()
    void promise.catch(() => {})
    void promise.then(() => {})
    await settle()
    expect(unhandled).toHaveLength(1)
  })

  test.each([
    ['await', async () => await failing().then(undefined, () => {})],
    ['catch', async () => await failing().catch(() => {})],
    ['withResponse', async () => await Promise.allSettled([failing().withResponse()])],
    ['Promise.allSettled', async () => await Promise.allSettled([failing()])],
  ])('that is handled by %s is not reported', async (_, handle) => {
    await handle()
    await settle()
    expect(unhandled).toEqual([])
  })
})
