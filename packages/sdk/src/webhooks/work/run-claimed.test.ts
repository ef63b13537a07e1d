import { describe, expect, test, vi } from 'vitest'
import { createFaultyStore } from '../../testing/faulty-store.ts'
import { createManualClock, settle } from '../../testing/manual-clock.ts'
import { FAILED, gate, jobsOf, openInbox, SUCCEEDED, SUCCEEDED_JOB } from '../../testing/test-inbox.ts'
import { PermanentError } from '../inbox-errors.ts'
import type { DeliveryContext, InboxOptions } from '../inbox-options.ts'
import { createMemoryStore } from '../store/memory-store.ts'

const { job_id } = SUCCEEDED

const no = () => {
  throw new Error('no')
}

describe('a handler', () => {
  test.each([
    ['onSucceeded', SUCCEEDED],
    ['onFailed', FAILED],
    ['onUnknown', { job_id, status: 'newer' }],
  ] as const)('%s is called once with its event, and no other', async (name, body) => {
    const handlers = { onSucceeded: vi.fn(), onFailed: vi.fn(), onUnknown: vi.fn() }
    const { deliver, count } = openInbox(handlers)
    await deliver(body)
    await settle()
    expect(handlers[name]).toHaveBeenCalledOnce()
    expect(Object.values(handlers).flatMap((handler) => handler.mock.calls)).toHaveLength(1)
    expect(count('completed')).toBe(1)
  })

  test('need not be there: the event is handled', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { deliver, store } = openInbox({ onSucceeded: undefined })
    await deliver(SUCCEEDED)
    await settle()
    warn.mockRestore()
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'done', dueInMs: 7 * 86_400_000 })
  })

  test.each([
    ['throws', no],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('that %s is run again after 1 s, 2 s, 4 s, without `start`', async (_, fail) => {
    const attempts: [attempt: number, at: number, fence: number][] = []
    const onFailed: InboxOptions['onFailed'] = (_event, { attempt, fence }) => {
      attempts.push([attempt, clock.now() - startedAt, fence])
      return attempt < 4 ? fail() : undefined
    }
    const { clock, deliver, told } = openInbox({ onFailed })
    const startedAt = clock.now()
    await deliver(FAILED)
    await clock.advance(100_000)
    expect(attempts).toEqual([
      [1, 0, 1],
      [2, 1_000, 2],
      [3, 3_000, 3],
      [4, 7_000, 4],
    ])
    expect(told.onHandlerError.map(({ attempt, retryInMs }) => [attempt, retryInMs])).toEqual([
      [1, 1_000],
      [2, 2_000],
      [3, 4_000],
    ])
    expect(told.onHandlerError[0]).toMatchObject({ event: FAILED, error: { message: 'no' } })
    expect(clock.timerCount).toBe(0)
  })

  test('jitters over the full range, up to 5 minutes', async () => {
    const { clock, deliver, told } = openInbox({ onFailed: no, random: () => 0.25, maxAttempts: 12 })
    await deliver(FAILED)
    await clock.advance(3_600_000)
    expect(told.onHandlerError.map(({ retryInMs }) => retryInMs)).toEqual([
      ...[250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000],
      ...[75_000, 75_000, undefined],
    ])
  })

  test('that failed 8 times is a dead letter, which is told once', async () => {
    const { clock, deliver, told, count, store } = openInbox({ onFailed: no })
    await deliver(FAILED)
    await clock.advance(127_000)
    expect(told.onDead).toMatchObject([
      { jobId: FAILED.job_id, event: FAILED, attempt: 8, error: { message: 'no' }, context: undefined },
    ])
    expect(count('dead')).toBe(1)
    const record = await store.get(FAILED.job_id)
    expect(record).toMatchObject({ state: 'dead', lastError: 'Error: no', dueInMs: 30 * 86_400_000 })
    expect(clock.timerCount).toBe(0)
  })

  test('may throw anything', async () => {
    const onFailed = vi.fn(() => {
      throw Object.create(null)
    })
    const { clock, deliver, store } = openInbox({ onFailed, maxAttempts: 2 })
    await deliver(FAILED)
    await clock.advance(1_000)
    await expect(store.get(FAILED.job_id)).resolves.toMatchObject({
      state: 'dead',
      lastError: 'an error without a text',
    })
  })

  test('that throws PermanentError is not run again', async () => {
    const onFailed = vi.fn(() => {
      throw new PermanentError('the order was deleted')
    })
    const { clock, deliver, told } = openInbox({ onFailed })
    await deliver(FAILED)
    await clock.advance(1_000_000)
    expect(onFailed).toHaveBeenCalledOnce()
    expect(told.onDead).toMatchObject([{ attempt: 1, error: { name: 'PermanentError' } }])
  })

  test('is shown what the service said once, however often it runs here', async () => {
    const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
    const onSucceeded = vi.fn(no)
    const { clock, deliver } = openInbox({ client, onSucceeded })
    await deliver(SUCCEEDED)
    await clock.advance(1_000_000)
    expect(onSucceeded).toHaveBeenCalledTimes(8)
    expect(calls).toHaveLength(1)
  })

  test('that is still running when others fail does not hold them up', async () => {
    const { opened, open: finish } = gate()
    const { clock, deliver, count } = openInbox({
      onSucceeded: () => opened,
      onFailed: vi.fn().mockImplementationOnce(no),
    })
    await deliver(SUCCEEDED)
    await deliver({ ...FAILED, job_id: 'job_2' })
    await clock.advance(1_000)
    expect(count('completed')).toBe(1)
    finish()
    await settle()
    expect(count('completed')).toBe(2)
  })
})

describe('`complete` of a handler', () => {
  test('marks the job as done before the handler returns', async () => {
    const { opened, open: finish } = gate()
    const { deliver, store, count, clock } = openInbox({
      onSucceeded: async (_, { complete }) => {
        await complete()
        await opened
      },
    })
    await deliver(SUCCEEDED)
    await settle()
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'done' })
    expect(clock.timerCount).toBe(0)
    finish()
    await settle()
    expect(count('completed')).toBe(1)
  })

  test('counts when the handler throws after it: the error is told, and it is not run again', async () => {
    const onSucceeded = vi.fn(async (_: unknown, { complete }: DeliveryContext) => {
      await complete()
      throw new Error('the mail was not sent')
    })
    const { clock, deliver, told, count } = openInbox({ onSucceeded })
    await deliver(SUCCEEDED)
    await clock.advance(1_000_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
    expect(told.onHandlerError).toMatchObject([{ error: { message: 'the mail was not sent' }, retryInMs: undefined }])
    expect(count('completed')).toBe(1)
  })

  test('refuses a transaction when the store has none', async () => {
    const { deliver, told } = openInbox({ onSucceeded: (_, { complete }) => complete({ tx: {} }) })
    await deliver(SUCCEEDED)
    await settle()
    expect(String(told.onHandlerError[0]?.error)).toContain(
      'ConfigurationError: The store of the inbox cannot take part',
    )
  })
})

test('a store that fails while the context of a job is read has the handler run later', async () => {
  const clock = createManualClock()
  const store = createFaultyStore(createMemoryStore({ clock }))
  const onUnknown = vi.fn()
  const { deliver, inbox, told } = openInbox({ clock, store, onUnknown })
  await inbox.expect(job_id, { context: 'mine' })
  store.fail('get', 'before')
  await deliver({ job_id, status: 'newer' })
  await settle()
  expect(onUnknown).not.toHaveBeenCalled()
  expect(told.onHandlerError).toMatchObject([{ retryInMs: 1_000 }])
  await clock.advance(1_000)
  expect(onUnknown.mock.calls).toMatchObject([[{ reported_status: 'newer' }, { context: 'mine' }]])
})

test('what a store gives back and is no delivery becomes a dead letter, and reaches no handler', async () => {
  const onUnknown = vi.fn()
  const { clock, deliver, store, told, inbox } = openInbox({ onUnknown, onSucceeded: no })
  await deliver(SUCCEEDED)
  const later = { owner: 'x', leaseMs: 1_000, fingerprint: 'x', payload: { written: 'by somebody else' } }
  await store.claim('job_9', later)
  await clock.advance(1_000)
  await inbox.sweep()
  expect(onUnknown).not.toHaveBeenCalled()
  expect(told.onDead).toMatchObject([
    { jobId: 'job_9', event: { status: 'unknown', payload: { unreadable: { written: 'by somebody else' } } } },
  ])
})

test('a result that links to a host that is not allowed reaches no handler, and is a dead letter', async () => {
  const onSucceeded = vi.fn()
  const { deliver, told } = openInbox({ onSucceeded, allowedOutputHosts: ['files.example.com'] })
  const output = { type: 'image', items: [{ type: 'image', url: 'https://169.254.169.254/latest' }] }
  await deliver({ ...SUCCEEDED, output })
  await deliver({ ...SUCCEEDED, job_id: 'job_2' })
  await settle()
  expect(onSucceeded.mock.calls).toMatchObject([[{ job_id: 'job_2' }, {}]])
  expect(told.onDead).toMatchObject([
    { attempt: 1, error: { message: expect.stringMatching(/item 0 of the output .* none of the allowed ones/) } },
  ])
})

test('a result that links to a host that is not allowed is asked for, whoever is trusted: it may be forged', async () => {
  const onSucceeded = vi.fn()
  const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
  const { deliver, told } = openInbox({
    client,
    trust: 'payload',
    onSucceeded,
    allowedOutputHosts: SUCCEEDED.output.items.map(({ url }) => new URL(url).host),
  })
  const output = { type: 'image', items: [{ type: 'image', url: 'https://169.254.169.254/latest' }] }
  await deliver({ ...SUCCEEDED, output })
  await settle()
  expect(calls).toEqual([SUCCEEDED.job_id])
  expect(onSucceeded.mock.calls).toMatchObject([[{ output: SUCCEEDED_JOB.output }, {}]])
  expect(told.onDead).toEqual([])
})
