import { ConfigurationError } from '@modelrun/kit'
import { expect, test, vi } from 'vitest'
import { openCore } from '../../test/test-core.ts'
import { keepTrying } from './queues.ts'

const wrong = new ConfigurationError({ message: 'wrong' })

/** A change that fails as each of `errors` says, the last one for ever; `undefined` makes it. Times in milliseconds. */
function openChange(...errors: (Error | undefined)[]) {
  const harness = openCore()
  const startedAt = harness.clock.now()
  const times: number[] = []
  const failures: [at: number, error: unknown][] = []
  const change = {
    make: async () => {
      times.push(harness.clock.now() - startedAt)
      const error = errors.length > 1 ? errors.shift() : errors[0]
      if (error !== undefined) throw error
    },
    onFailure: (error: unknown) => void failures.push([harness.clock.now() - startedAt, error]),
  }
  return { ...harness, change, times, failures }
}

test('waits between tries double up to 8 s, and the last try is after a minute', async () => {
  const error = new Error('down')
  const { core, change, clock, times, failures } = openChange(error)
  await expect(keepTrying(core, change.make, change.onFailure)).resolves.toBe(false)
  await clock.advance(120_000)
  expect(times).toEqual([0, 1, 3, 7, 15, 23, 31, 39, 47, 55, 60].map((seconds) => seconds * 1_000))
  expect(failures).toEqual([[60_000, error]])
})

test('a change that is made later is not made again, and `drain` waits for it', async () => {
  const { core, change, clock, times, failures } = openChange(new Error('down'), undefined)
  await expect(keepTrying(core, change.make, change.onFailure)).resolves.toBe(false)
  const onIdle = vi.fn()
  const idle = core.background.whenIdle().then(onIdle)
  await clock.advance(999)
  expect(onIdle).not.toHaveBeenCalled()
  await clock.advance(120_000)
  await idle
  expect([times, failures]).toEqual([[0, 1_000], []])
})

test('a change that is wrong in itself is not tried again', async () => {
  const first = openChange(wrong)
  await expect(keepTrying(first.core, first.change.make, first.change.onFailure)).rejects.toBe(wrong)
  await first.clock.advance(120_000)
  expect([first.times, first.failures]).toEqual([[0], []])
  const later = openChange(new Error('down'), wrong)
  await keepTrying(later.core, later.change.make, later.change.onFailure)
  await later.clock.advance(120_000)
  expect([later.times, later.failures]).toEqual([[0, 1_000], [[1_000, wrong]]])
})

test('the end of a drain has a change tried once more, and then reported', async () => {
  const error = new Error('down')
  const { core, change, clock, times, failures } = openChange(error)
  await keepTrying(core, change.make, change.onFailure)
  await clock.advance(10_000)
  core.aborting.abort(new Error('the inbox drains'))
  await clock.advance(60_000)
  expect(times).toEqual([0, 1_000, 3_000, 7_000, 10_000])
  expect(failures).toEqual([[10_000, error]])
})
