import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { aborted } from '../../../test/aborted.ts'
import { caught } from '../../../test/caught.ts'
import { createFileHost } from '../../../test/file-host.ts'
import { settle } from '../../../test/manual-clock.ts'
import { type Step, silent, text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import {
  AbortedError,
  AttemptTimeoutError,
  DeadlineExceededError,
  InvalidResponseError,
} from '../errors/transport-errors.ts'
import type { DownloadOptions } from './file-options.ts'

const FILE_URL = 'https://files.example.com/job_1/0.png'
const stalled = createFileHost({ content: 'pixels', faults: Array(99).fill({ bytes: 3, how: 'stalls' }) })

function start(step: Step, options: DownloadOptions = {}) {
  const harness = createTestClient([step])
  return { ...harness, download: harness.client.files.download(FILE_URL, options) }
}

describe('the time of a download', () => {
  const infinite = { timeoutMs: Number.POSITIVE_INFINITY }
  test.each([
    ['until the head of a response', silent(), { timeoutMs: 1_000, maxRetries: 0 }, [AttemptTimeoutError, 1_000]],
    ['before a retry that would come too late', text(503, ''), { deadlineMs: 800 }, [InvalidResponseError, 750]],
    ['to ten minutes by default', silent(), infinite, [DeadlineExceededError, 600_000]],
  ] as const)('is limited %s', async (...row) => {
    const [, step, options, [type, afterMs]] = row
    const { download, clock } = start(step, { maxRetries: 9, ...options })
    await caught<Error>(clock.run(download), type)
    expect(clock.elapsedMs()).toBe(afterMs)
  })

  test('is limited between two chunks', async () => {
    const { download, clock } = start(stalled, { maxRetries: 0 })
    const file = await download
    const error = await caught(clock.run(file.bytes()), AttemptTimeoutError)
    expect(error.message).toContain('no bytes came for 30000 ms (`timeoutMs`). The first 3 of 6 bytes had come.')
    expect(clock.elapsedMs()).toBe(30_000)
  })

  test.each([
    ['a response', silent()],
    ['bytes', stalled],
  ])('is limited by one deadline, over all requests, while it waits for %s', async (_, step) => {
    const { download, clock } = start(step, { deadlineMs: 70_000, maxRetries: 9, jobId: 'job_1' })
    const read = download.then((file) => file.bytes())
    const error = await caught(clock.run(read), DeadlineExceededError)
    expect(error.message).toContain('did not finish within deadlineMs (70000 ms).')
    expect(error).toMatchObject({ jobId: 'job_1', attempts: { length: 3 } })
    expect(clock.elapsedMs()).toBe(70_000)
  })

  test('may have no limit at all', async () => {
    const controller = new AbortController()
    const limits = { ...infinite, deadlineMs: Number.POSITIVE_INFINITY, signal: controller.signal }
    const { download, clock } = start(silent(), limits)
    await settle()
    expect(clock.timerCount).toBe(0)
    controller.abort()
    await caught(download, AbortedError)
  })

  test('passes for a stream that the program holds', async () => {
    const { download, clock } = start(createFileHost({ content: 'pixels' }))
    const { stream } = await download
    const reader = stream.getReader()
    await reader.read()
    await clock.advance(600_000)
    await caught(reader.read(), DeadlineExceededError)
  })
})

describe('an aborted download', () => {
  test.each([
    ['a response', silent()],
    ['a retry', text(503, '')],
    ['bytes', stalled],
  ])('settles at once while it waits for %s', async (_, step) => {
    const { client, clock } = createTestClient([step])
    const error = await aborted(async (signal) => (await client.files.download(FILE_URL, { signal })).bytes())
    expect(error.attempts).toHaveLength(1)
    await settle()
    expect(clock.timerCount).toBe(0)
  })

  test('frees the connection of a stream that is not read at the moment', async () => {
    const controller = new AbortController()
    const { download, service } = start(createFileHost({ content: 'pixels' }), { signal: controller.signal })
    const reader = (await download).stream.getReader()
    await reader.read()
    controller.abort()
    expect(service.received[0]?.request.signal.aborted).toBe(true)
    await caught(reader.read(), AbortedError)
  })
})

test.each([
  ['read', async (stream: ReadableStream) => new Response(stream).text()],
  ['cancelled', async (stream: ReadableStream) => stream.cancel()],
])('a stream that was %s leaves no listener and no timer', async (_, finish) => {
  const { signal } = new AbortController()
  const { download, clock } = start(text(200, 'pixels'), { signal })
  await finish((await download).stream)
  await settle()
  expect([getEventListeners(signal, 'abort').length, clock.timerCount]).toEqual([0, 0])
})
