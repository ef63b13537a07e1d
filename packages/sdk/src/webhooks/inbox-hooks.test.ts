import { afterEach, expect, test, vi } from 'vitest'
import { FAILED, openInbox } from '../testing/test-inbox.ts'

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
  const { clock, deliver } = openInbox({
    onFailed,
    onHandlerError: broken,
    onDead: broken,
    onConflict: broken,
    onMetric: broken,
  })
  await deliver(FAILED)
  await clock.advance(127_000)
  expect(onFailed).toHaveBeenCalledTimes(8)
  const lines = log.mock.calls.map(([line]) => String(line))
  expect(lines.filter((line) => line.includes('`onHandlerError` failed'))).toHaveLength(8)
  // What it was to tell is logged instead.
  expect(lines.filter((line) => line.includes('was not handled (try'))).toHaveLength(8)
  expect(lines.filter((line) => line.includes('`onDead` failed'))).toHaveLength(1)
})

test('failures are logged with console.error by default', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { clock, deliver } = openInbox({ onFailed: no, onHandlerError: undefined })
  await deliver(FAILED)
  await clock.advance(127_000)
  const lines = log.mock.calls.map(([line]) => line)
  expect(lines[0]).toBe(
    `modelrun: the webhook of the job ${FAILED.job_id} was not handled (try 1; next try in 1000 ms):`,
  )
  expect(lines.at(-1)).toContain('(try 8; it is not tried again)')
})
