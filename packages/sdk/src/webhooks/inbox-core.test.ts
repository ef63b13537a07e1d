import { afterEach, describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { FAILED, openInbox, SUCCEEDED } from '../../test/test-inbox.ts'
import type { Inbox } from './inbox.ts'

const no = () => {
  throw new Error('no')
}

afterEach(() => {
  vi.restoreAllMocks()
})

test.each([
  ['throws', no],
  ['rejects', () => Promise.reject(new Error('no'))],
])('hooks harm nothing when one %s, and that is logged', async (_, broken) => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const onFailed = vi.fn(no)
  const { clock, deliver } = openInbox({ onFailed, onHandlerError: broken, onDead: broken, onMetric: broken })
  await deliver(FAILED)
  await clock.advance(127_000)
  expect(onFailed).toHaveBeenCalledTimes(8)
  const lines = log.mock.calls.map(([line]) => String(line))
  expect(lines.filter((line) => line.includes('`onHandlerError` failed'))).toHaveLength(8)
  // What it did not get is logged instead.
  expect(lines.filter((line) => line.includes('was not handled (try'))).toHaveLength(8)
  expect(lines.filter((line) => line.includes('`onDead` failed'))).toHaveLength(1)
})

test('failures are logged with console.error by default', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { clock, deliver } = openInbox({ onFailed: no, onHandlerError: undefined })
  await deliver(FAILED)
  await clock.advance(127_000)
  const lines = log.mock.calls.map(([line]) => line)
  expect(lines[0]).toBe(`modelrun: the webhook of the job ${FAILED.job_id} was not handled (try 1; it is tried again):`)
  expect(lines.at(-1)).toContain('(try 8; it is not tried again)')
})

test('`drain` waits for a hook', async () => {
  let isDone = false
  const { inbox, deliver } = openInbox({
    onMetric: async ({ name }) => {
      if (name !== 'completed') return
      await settle()
      isDone = true
    },
  })
  await deliver(SUCCEEDED)
  await inbox.drain()
  expect(isDone).toBe(true)
})

describe('an inbox without a handler', () => {
  const openBare = () => openInbox({ onSucceeded: undefined })

  test('warns of a result that nothing waits for', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { deliver } = openBare()
    await deliver(SUCCEEDED)
    await settle()
    expect(warn.mock.calls.join()).toContain(`the job ${SUCCEEDED.job_id} succeeded, and its result is dropped`)
  })

  test.each<[string, (inbox: Inbox) => unknown]>([
    ['a run that expected it', (inbox) => inbox.expect(SUCCEEDED.job_id)],
    ['a caller of waitFor', (inbox) => void inbox.waitFor(SUCCEEDED.job_id)],
  ])('warns of nothing when %s has the result', async (_, prepare) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { deliver, inbox } = openBare()
    await prepare(inbox)
    await deliver(SUCCEEDED)
    await settle()
    expect(warn).not.toHaveBeenCalled()
  })
})
