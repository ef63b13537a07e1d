import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createManualClock, settle } from '../../test/manual-clock.ts'
import { abortable, linkController, sleep } from './clock.ts'

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length

describe('linkController', () => {
  test('aborts when its source does, with the same reason', () => {
    const source = new AbortController()
    const linked = linkController(source.signal)
    source.abort('enough')
    expect(linked.signal).toMatchObject({ aborted: true, reason: 'enough' })
    expect(listeners(source.signal)).toBe(0)
  })

  test('is aborted from the start when its source is', () => {
    const linked = linkController(AbortSignal.abort('before'))
    expect(linked.signal).toMatchObject({ aborted: true, reason: 'before' })
  })

  test('aborts alone without touching its source', () => {
    const source = new AbortController()
    const linked = linkController(source.signal)
    linked.abort('mine')
    expect(linked.signal.reason).toBe('mine')
    expect(source.signal.aborted).toBe(false)
  })

  test('leaves no listener on its source after release, and no longer follows it', () => {
    const source = new AbortController()
    const linked = linkController(source.signal)
    expect(listeners(source.signal)).toBe(1)
    linked.release()
    expect(listeners(source.signal)).toBe(0)
    source.abort()
    expect(linked.signal.aborted).toBe(false)
  })

  test('works without a source', () => {
    const linked = linkController(undefined)
    linked.release()
    linked.abort('mine')
    expect(linked.signal.aborted).toBe(true)
  })
})

describe('abortable', () => {
  test('settles like the work and leaves no listener', async () => {
    const { signal } = new AbortController()
    await expect(abortable(Promise.resolve(1), signal)).resolves.toBe(1)
    await expect(abortable(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
    await settle()
    expect(listeners(signal)).toBe(0)
  })

  test('rejects with the reason at once, whatever the work does', async () => {
    const controller = new AbortController()
    const waiting = abortable(new Promise(() => {}), controller.signal)
    controller.abort('enough')
    await expect(waiting).rejects.toBe('enough')
    expect(listeners(controller.signal)).toBe(0)
  })

  test('rejects at once when the signal has aborted before, even if the work is done', async () => {
    await expect(abortable(Promise.resolve(1), AbortSignal.abort('before'))).rejects.toBe('before')
  })

  test('takes care of a rejection that comes after the abort', async () => {
    const controller = new AbortController()
    const work = settle().then(() => {
      throw new Error('no test reads this error: unhandled, it would fail the test run')
    })
    const waiting = abortable(work, controller.signal)
    controller.abort('enough')
    await expect(waiting).rejects.toBe('enough')
    await settle()
    await settle()
  })
})

describe('sleep', () => {
  test('ends after its delay and leaves neither timer nor listener', async () => {
    const clock = createManualClock()
    const { signal } = new AbortController()
    const sleeping = sleep(clock, 100, signal)
    expect(clock.timerCount).toBe(1)
    expect(listeners(signal)).toBe(1)
    await clock.advance(100)
    await expect(sleeping).resolves.toBeUndefined()
    await settle()
    expect(clock.timerCount).toBe(0)
    expect(listeners(signal)).toBe(0)
  })

  test('rejects as soon as the signal aborts and leaves neither timer nor listener', async () => {
    const clock = createManualClock()
    const controller = new AbortController()
    const sleeping = sleep(clock, 100, controller.signal)
    controller.abort('enough')
    await expect(sleeping).rejects.toBe('enough')
    expect(clock.timerCount).toBe(0)
    expect(listeners(controller.signal)).toBe(0)
  })

  test('for ever ends by an abort alone', async () => {
    const clock = createManualClock()
    const controller = new AbortController()
    const sleeping = sleep(clock, Number.POSITIVE_INFINITY, controller.signal)
    await clock.advance(10_000)
    controller.abort('enough')
    await expect(sleeping).rejects.toBe('enough')
  })
})
