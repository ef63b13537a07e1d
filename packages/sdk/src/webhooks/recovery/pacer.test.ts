import { expect, test } from 'vitest'
import { createManualClock, settle } from '../../testing/manual-clock.ts'
import { createPacer } from './pacer.ts'

const begun = async () => true
const notBegun = async () => false

function setup() {
  const clock = createManualClock()
  const startedAt = clock.now()
  return {
    clock,
    pacer: createPacer(clock),
    signal: new AbortController().signal,
    elapsedMs: () => clock.now() - startedAt,
  }
}

test('two turns are free in a second, and the third one waits for it', async () => {
  const { clock, pacer, signal, elapsedMs } = setup()
  await pacer.turn(signal, begun)
  await pacer.turn(signal, begun)
  expect(elapsedMs()).toBe(0)
  await expect(clock.run(pacer.turn(signal, begun))).resolves.toBe(true)
  expect(elapsedMs()).toBe(1_000)
})

test('a turn at which nothing begins costs none', async () => {
  const { clock, pacer, signal, elapsedMs } = setup()
  for (let turn = 0; turn < 5; turn++) expect(await pacer.turn(signal, notBegun)).toBe(false)
  await clock.run(pacer.turn(signal, begun))
  expect(elapsedMs()).toBe(0)
})

test('a turn that fails or is aborted holds up none after it', async () => {
  const { clock, pacer, signal, elapsedMs } = setup()
  const failing = pacer.turn(signal, () => Promise.reject(new Error('no')))
  const aborted = pacer.turn(AbortSignal.abort(new Error('enough')), begun)
  const next = pacer.turn(signal, begun)
  await expect(failing).rejects.toThrow('no')
  await expect(aborted).rejects.toThrow('enough')
  await expect(clock.run(next)).resolves.toBe(true)
  expect(elapsedMs()).toBe(0)
})

test('an abort ends the wait for a turn, and leaves no timer', async () => {
  const { clock, pacer, signal } = setup()
  const controller = new AbortController()
  await pacer.turn(signal, begun)
  await pacer.turn(signal, begun)
  const third = pacer.turn(controller.signal, begun)
  await settle()
  controller.abort(new Error('enough'))
  await expect(third).rejects.toThrow('enough')
  expect(clock.timerCount).toBe(0)
})

test('the longest of several pauses counts, to the millisecond', async () => {
  const { clock, pacer } = setup()
  expect(pacer.isPaused).toBe(false)
  pacer.pause(5_000)
  pacer.pause(2_000)
  await clock.advance(4_999)
  expect(pacer.isPaused).toBe(true)
  await clock.advance(1)
  expect(pacer.isPaused).toBe(false)
})
