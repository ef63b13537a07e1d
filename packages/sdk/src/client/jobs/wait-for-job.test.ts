import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test, vi } from 'vitest'
import { aborted } from '../../../test/aborted.ts'
import { caught } from '../../../test/caught.ts'
import { errorResponse, json, type Step, silent, text } from '../../../test/scripted-service.ts'
import { createTestClient, recordLog } from '../../../test/test-client.ts'
import { ServerError } from '../errors/api-errors.ts'
import { AbortedError, DeadlineExceededError } from '../errors/transport-errors.ts'

const running = json(200, fixtures.jobs.processing.body)
const succeeded = json(200, fixtures.jobs.succeeded.body)

/** Responds to polls of the job with `poll`, and to its cancellation with `cancel`. */
const byMethod =
  (poll: Step, cancel: Step): Step =>
  (request) =>
    request.method === 'DELETE' ? cancel(request) : poll(request)

describe('the wait for a job that is known by its id', () => {
  test('has no end with an infinite deadline', async () => {
    const { client, clock } = createTestClient([...Array.from({ length: 300 }, () => running), succeeded])
    await clock.run(client.jobs.attach('job_1').result({ deadlineMs: Number.POSITIVE_INFINITY }))
    expect(clock.elapsedMs()).toBeGreaterThan(1_000_000)
  })

  test.each([
    ['throws', () => expect.unreachable()],
    ['rejects', async () => expect.unreachable()],
  ])('gives the result although onStatus %s, and logs the failure', async (_, onStatus) => {
    const { lines, log } = recordLog('warn')
    const { client, clock } = createTestClient([running, succeeded], log)
    const result = clock.run(client.jobs.attach('job_1').result({ onStatus }))
    await expect(result).resolves.toMatchObject({ job_id: 'job_1' })
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain('warn modelrun: the callback `onStatus` failed; its run is not affected: ')
  })
})

describe('a wait whose deadline passes', () => {
  const waitFor = (
    { client, clock }: Pick<ReturnType<typeof createTestClient>, 'client' | 'clock'>,
    deadlineMs: number,
  ) => caught(clock.run(client.jobs.attach('job_1').result({ deadlineMs })), DeadlineExceededError)

  test('says what the service said last, and that the job continues', async () => {
    const { client, clock, service } = createTestClient([running])
    const error = await waitFor({ client, clock }, 2_000)
    expect(error.message).toBe(
      'The job job_1 did not finish within deadlineMs (2000 ms); its last status is processing. ' +
        'It continues: `error.job.result()` waits again.',
    )
    expect(error).toMatchObject({ jobId: 'job_1', submission: 'accepted', job: { id: 'job_1' }, status: 200 })
    expect(error.attempts).toHaveLength(service.received.length)
    expect(error.attempts[0]).toMatchObject({ status: 200, reason: 'HTTP 200' })
    expect(error.cancellation).toBeUndefined()
    expect(service.received.every(({ method }) => method === 'GET')).toBe(true)
  })

  test('names the failure of the last poll', async () => {
    const { client, clock } = createTestClient([running, text(502, '')])
    const error = await waitFor({ client, clock }, 60_000)
    expect(error.message).toContain('; its last status is processing; the last poll failed: see `error.cause`.')
    expect(error.cause).toBeInstanceOf(ServerError)
    expect(error.attempts.at(-1)).toMatchObject({ status: 502 })
  })

  test('does not report failures before the last successful poll', async () => {
    const { client, clock } = createTestClient([text(502, ''), running])
    const error = await waitFor({ client, clock }, 60_000)
    expect(error.cause).toBeUndefined()
  })
})

describe('a wait that ends early', () => {
  async function abortWait(steps: readonly Step[], onAbort?: 'detach' | 'cancel') {
    const harness = createTestClient(steps)
    const job = harness.client.jobs.attach('job_1')
    return { ...harness, error: await aborted((signal) => job.result({ signal, onAbort })) }
  }

  test('leaves the job alone by default', async () => {
    const { error, service } = await abortWait([running])
    expect(error).toMatchObject({ submission: 'accepted', job: { id: 'job_1' } })
    expect(error.message).toContain('was still running when the caller aborted the wait')
    expect(service.received).toHaveLength(1)
  })

  test('sends nothing when its signal has aborted before', async () => {
    const { client, clock, service } = createTestClient([running])
    const signal = AbortSignal.abort('enough')
    const error = await caught(client.jobs.attach('job_1').result({ signal }), AbortedError)
    expect(error).toMatchObject({ cause: 'enough', submission: 'unknown' })
    expect(error.message).toBe(
      'The job job_1 was still running when the caller aborted the wait. It continues: `error.job.result()` waits again.',
    )
    await clock.advance(60_000)
    expect([service.received.length, clock.timerCount]).toEqual([0, 0])
  })

  test('ends the request that is under way', async () => {
    const { service } = await abortWait([silent()])
    expect(service.received[0]?.request.signal.aborted).toBe(true)
  })

  test('cancels the job when the policy says so, and does not wait for that (section 4.5)', async () => {
    const { error, service, clock } = await abortWait(
      [byMethod(running, json(200, { data: { status: 'cancelled' } }))],
      'cancel',
    )
    expect(error.message).toContain('Its cancellation was requested')
    await expect(error.cancellation).resolves.toBe(true)
    expect(service.received.map(({ method }) => method)).toEqual(['GET', 'DELETE'])
    expect(clock.timerCount).toBe(0)
  })

  test.each([
    ['rejects it', errorResponse(409, 'CONFLICT')],
    ['says that the job has another status', json(200, { data: { status: 'processing' } })],
    ['says nothing, and the job continues', text(204, null)],
  ])('says that a cancellation was not confirmed when the service %s', async (_, cancel) => {
    const { error } = await abortWait([byMethod(running, cancel)], 'cancel')
    await expect(error.cancellation).resolves.toBe(false)
  })

  test('bounds its cancellation to 5 s, and never rejects for it', async () => {
    const { error, clock } = await abortWait([byMethod(running, silent())], 'cancel')
    const settled = vi.fn()
    void error.cancellation?.then(settled)
    await clock.advance(4_999)
    expect(settled).not.toHaveBeenCalled()
    await clock.advance(1)
    expect(settled).toHaveBeenCalledWith(false)
    expect(clock.timerCount).toBe(0)
  })

  test('cancels by its deadline only when that policy says so', async () => {
    const { client, clock, service } = createTestClient([
      byMethod(running, json(200, { data: { status: 'cancelled' } })),
    ])
    const both = { deadlineMs: 600, onAbort: 'cancel' } as const
    const kept = await caught(clock.run(client.jobs.attach('job_1').result(both)), DeadlineExceededError)
    expect(kept.cancellation).toBeUndefined()
    const wait = client.jobs.attach('job_1').result({ ...both, onDeadline: 'cancel' })
    const cancelled = await caught(clock.run(wait), DeadlineExceededError)
    await expect(cancelled.cancellation).resolves.toBe(true)
    expect(service.received.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
  })
})
