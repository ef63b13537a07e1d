import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import {
  FAILED,
  type InboxHarness,
  jobsOf,
  openEngine,
  openInbox,
  PUBLIC_URL,
  SECRET,
  SUCCEEDED,
  SUCCEEDED_JOB,
} from '../../test/test-inbox.ts'
import type { Inbox } from './inbox.ts'
import type { InboxOptions } from './inbox-options.ts'

const no = () => {
  throw new Error('no')
}

const EVIL = 'sk_live_0123456789abcdef \u202e\u2066\u009b2J\u001b[31m\r\nmodelrun: another record'
const evil = () => {
  throw Object.assign(new Error(EVIL), { body: { [EVIL]: EVIL }, cause: EVIL })
}

test.each<[string, Omit<InboxOptions, 'clock'>]>([
  ['a handler', { onFailed: evil, onHandlerError: undefined }],
  ['a hook', { onFailed: no, onHandlerError: evil }],
  ['a listener', {}],
  ['an engine', { engine: { ...openEngine().engine, setup: async () => evil() } }],
])('what is printed of %s that fails cannot control a terminal, and is one record', async (place, options) => {
  const printed: string[] = []
  for (const level of ['error', 'warn'] as const) {
    vi.spyOn(console, level).mockImplementation((...given) => void printed.push(given.join(' ')))
  }
  const { inbox, clock, deliver } = openInbox(options)
  if (place === 'a listener') inbox.listen(FAILED.job_id, evil)
  inbox.start()
  await deliver(FAILED)
  await clock.advance(100)
  // Of a hook that fails also what it did not get.
  const reported = printed.filter((text) =>
    text.includes(`${FAILED.job_id} was not handled (try 1; it is tried again): Err`),
  )
  expect(reported).toHaveLength(['a handler', 'a hook'].includes(place) ? 1 : 0)
  expect(printed.some((text) => text.includes('another record'))).toBe(true)
  for (const text of printed) expect(text).not.toMatch(/[^\P{C}\n]|sk_live_0|\n\S/u)
})

test('`drain` waits for a hook', async () => {
  let isDone = false
  const { inbox, deliver } = openInbox({
    onSucceeded: no,
    onHandlerError: async () => {
      await settle()
      isDone = true
    },
  })
  await deliver(SUCCEEDED)
  await inbox.drain()
  expect(isDone).toBe(true)
})

describe('an inbox', () => {
  const { job_id } = SUCCEEDED
  const polled = { client: jobsOf(() => SUCCEEDED_JOB).client }
  const signed = { secret: SECRET, publicUrl: PUBLIC_URL }
  const expectAt = async (inbox: Inbox, ids: readonly string[]) => {
    for (const id of ids) await inbox.expect(id, { pollInMs: 0, ref: (await inbox.prepare()).ref })
  }

  test.each<{
    what: string
    options: Omit<InboxOptions, 'clock'>
    work(harness: InboxHarness): Promise<unknown>
    warning?: string
  }>([
    {
      what: 'of a result that nothing waits for, without a handler',
      options: { onSucceeded: undefined },
      work: ({ deliver }) => deliver(SUCCEEDED),
      warning: `the job ${job_id} succeeded, and its result is dropped`,
    },
    {
      what: 'of no result that a run expected',
      options: { onSucceeded: undefined },
      work: async ({ deliver, inbox }) => [await inbox.expect(job_id), await deliver(SUCCEEDED)],
    },
    {
      what: 'of no result that a caller of waitFor has',
      options: { onSucceeded: undefined },
      work: async ({ deliver, inbox }) => [void inbox.waitFor(job_id), await deliver(SUCCEEDED)],
    },
    {
      what: 'of deliveries that do not come',
      options: { ...signed, ...polled, onWebhookMissed: undefined },
      work: ({ inbox }) => expectAt(inbox, ['job_1', 'job_2']),
      warning: 'the job job_1 ended without a webhook delivery, and a poll found its result',
    },
    {
      what: 'of none that are reported to a hook',
      options: { ...signed, ...polled },
      work: ({ inbox }) => expectAt(inbox, ['job_1']),
    },
    {
      what: 'of none for a job that was cancelled',
      options: { ...signed, client: jobsOf(() => ({ status: 'cancelled' })).client, onWebhookMissed: undefined },
      work: ({ inbox }) => expectAt(inbox, ['job_1']),
    },
    {
      what: 'of jobs that an earlier run had',
      options: { ...signed, ...polled },
      work: async ({ inbox, clock }) => {
        await expectAt(inbox, ['job_1', 'job_2'])
        await clock.advance(1_000)
        await expectAt(inbox, ['job_1', 'job_2'])
      },
      warning: 'the job job_1 is known to the inbox from an earlier run',
    },
  ])('warns once $what', async ({ options, work, warning }) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const harness = openInbox(options)
    await work(harness)
    await settle()
    await harness.clock.advance(1_000)
    const lines = warn.mock.calls.map(([line]) => line)
    expect(lines).toEqual(warning === undefined ? [] : [expect.stringContaining(warning)])
    await harness.inbox.drain()
  })
})
