import { fixtures } from '@modelrun/contract/fixtures'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createManualClock } from '../testing/manual-clock.ts'
import type { HandlerFailure, InboxOptions } from './inbox-options.ts'
import { runHandler } from './run-handler.ts'
import type { WebhookEvent } from './webhook-event.ts'

const succeeded = fixtures.webhooks.succeeded.body
const failed = fixtures.webhooks.failed.body
const unknown: WebhookEvent = { status: 'unknown', job_id: 'job_1', payload: {} }

/** Runs the handlers of an event on a manual clock, with the longest delays. */
async function run(event: WebhookEvent, options: Partial<InboxOptions>) {
  const clock = createManualClock()
  const startedAt = clock.now()
  const failures: HandlerFailure[] = []
  const onHandlerError = (failure: HandlerFailure) => failures.push(failure)
  const outcome = await clock.run(runHandler(event, { clock, random: () => 1, onHandlerError, ...options }))
  return { outcome, failures, elapsedMs: clock.now() - startedAt, clock }
}

const no = () => {
  throw new Error('no')
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('runHandler', () => {
  test.each([
    ['onSucceeded', succeeded],
    ['onFailed', failed],
    ['onUnknown', unknown],
  ] as const)('calls %s once with its event', async (name, event) => {
    const handlers = { onSucceeded: vi.fn(), onFailed: vi.fn(), onUnknown: vi.fn() }
    const { outcome } = await run(event, handlers)
    expect(outcome).toEqual({ event, isHandled: true })
    expect(handlers[name].mock.calls).toEqual([[event, { attempt: 1 }]])
    expect(Object.values(handlers).flatMap((handler) => handler.mock.calls)).toHaveLength(1)
  })

  test('takes an event without a handler for handled', async () => {
    expect((await run(succeeded, {})).outcome).toEqual({ event: succeeded, isHandled: true })
  })

  test.each([
    ['throws', no],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('runs a handler that %s again, after 1 s, 2 s, 4 s', async (_, fail) => {
    const attempts: number[] = []
    const onFailed: InboxOptions['onFailed'] = (_event, { attempt }) => {
      attempts.push(attempt)
      return attempt < 4 ? fail() : undefined
    }
    const { outcome, failures, elapsedMs } = await run(failed, { onFailed })
    expect(outcome.isHandled).toBe(true)
    expect(attempts).toEqual([1, 2, 3, 4])
    expect(elapsedMs).toBe(7_000)
    expect(failures.map(({ attempt, retryInMs }) => [attempt, retryInMs])).toEqual([
      [1, 1_000],
      [2, 2_000],
      [3, 4_000],
    ])
    expect(failures[0]).toMatchObject({ event: failed, error: { message: 'no' } })
  })

  test('jitters over the full range', async () => {
    const { failures } = await run(failed, { onFailed: no, random: () => 0.25 })
    expect(failures.slice(0, 3).map(({ retryInMs }) => retryInMs)).toEqual([250, 500, 1_000])
  })

  test('gives up after 8 runs, and leaves no timer', async () => {
    const { outcome, failures, elapsedMs, clock } = await run(failed, { onFailed: no })
    expect(outcome).toEqual({ event: failed, isHandled: false })
    expect(failures).toHaveLength(8)
    expect(failures.at(-1)?.retryInMs).toBeUndefined()
    expect(elapsedMs).toBe(127_000)
    expect(clock.timerCount).toBe(0)
  })

  test('looks at the job again while the service has not ended it; the handler runs for the first time after that', async () => {
    const states = ['processing', 'processing', 'failed']
    const client = { jobs: { get: async () => ({ status: states.shift() ?? 'failed', error: failed.error }) } }
    const onFailed = vi.fn()
    const { elapsedMs, failures } = await run(failed, { client, onFailed })
    expect(onFailed.mock.calls).toEqual([[failed, { attempt: 1 }]])
    expect(elapsedMs).toBe(3_000)
    expect(failures.map(({ error }) => String(error))).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining('UnconfirmedError')),
    )
  })

  test('asks the service no more once the event is confirmed', async () => {
    const get = vi.fn(async () => ({ status: 'failed', error: failed.error }))
    await run(failed, { client: { jobs: { get } }, onFailed: no })
    expect(get).toHaveBeenCalledOnce()
  })

  test('shows a delivery that is never confirmed to no handler', async () => {
    const onFailed = vi.fn()
    const client = { jobs: { get: async () => ({ status: 'processing' }) } }
    const { outcome, failures } = await run(failed, { client, onFailed })
    expect(outcome).toEqual({ event: undefined, isHandled: false })
    expect(onFailed).not.toHaveBeenCalled()
    expect(failures).toHaveLength(8)
  })

  test('logs failures with console.error by default', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    await run(failed, { onFailed: no, onHandlerError: undefined })
    const lines = log.mock.calls.map(([line]) => line)
    expect(lines[0]).toBe(
      `modelrun: the webhook of the job ${failed.job_id} was not handled (try 1; next try in 1000 ms):`,
    )
    expect(lines.at(-1)).toContain('(try 8; it is not tried again)')
  })

  test.each([
    ['throws', no],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('survives an onHandlerError that %s', async (_, onHandlerError) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const onFailed = vi.fn(no).mockImplementationOnce(no)
    const { outcome } = await run(failed, { onFailed, onHandlerError })
    expect(outcome.isHandled).toBe(false)
    expect(onFailed).toHaveBeenCalledTimes(8)
    expect(log).toHaveBeenCalled()
  })
})
