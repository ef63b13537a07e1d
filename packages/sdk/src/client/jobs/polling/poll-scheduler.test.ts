import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../../test/caught.ts'
import { collect } from '../../../../test/collect.ts'
import type { Step } from '../../../../test/scripted-service.ts'
import { broken, cut, errorResponse, json, silent, text, unconnected } from '../../../../test/scripted-service.ts'
import { API_KEY, createTestClient, recordLog } from '../../../../test/test-client.ts'
import type { ModelRun } from '../../client.ts'
import { ApiError, AuthenticationError, NotFoundError, PermissionDeniedError } from '../../errors/api-errors.ts'
import { DeadlineExceededError, InvalidResponseError } from '../../errors/transport-errors.ts'
import { GATEWAY_REJECTION } from '../../http/status-policy.ts'
import type { ModelRunOptions } from '../../options.ts'

const state = (status: string) => json(200, { data: { status } })
const processing = state('processing')
const succeeded = json(200, fixtures.jobs.succeeded.body)

/** Watches a job to its end; each request is one poll. */
function poll(steps: readonly Step[], { deadlineMs, ...options }: ModelRunOptions & { deadlineMs?: number } = {}) {
  const { client, clock, service } = createTestClient(steps, options)
  const toEnd = async () =>
    (await collect(client.jobs.attach('job_1').updates({ deadlineMs }))).map(({ status }) => status)
  return { end: clock.run(toEnd()), times: service.times, clock }
}

describe('watching one job (section 4.4)', () => {
  test('yields each change once, the first state at once and the final one last (section 3)', async () => {
    const { end } = poll([state('queued'), state('queued'), processing, processing, processing, succeeded])
    await expect(end).resolves.toEqual(['queued', 'processing', 'succeeded'])
  })

  test.each(['succeeded', 'failed', 'cancelled'])('ends at the status %s (section 3)', async (status) => {
    await expect(poll([state(status)]).end).resolves.toEqual([status])
  })

  test('polls quickly at first, then at longer intervals, with a limit', async () => {
    const { end, times } = poll([...Array.from({ length: 45 }, () => processing), succeeded])
    await end
    const gaps = times().map((at, index, all) => at - (all[index - 1] ?? 0))
    expect(gaps.slice(0, 8).map(Math.round)).toEqual([0, 500, 500, 600, 960, 1_536, 2_400, 2_400])
    expect(gaps.at(-1)).toBe(5_000)
    expect(gaps.slice(1)).toEqual(gaps.slice(1).toSorted((a, b) => a - b))
  })

  test.each<[string, Step]>([
    ['a connection that broke', broken('ECONNRESET')],
    ['a connection that was refused', unconnected('ECONNREFUSED')],
    ['a time limit', silent()],
    ['a response that was cut', cut(200, '{"data"')],
    ['a web page', text(200, '<html>maintenance</html>')],
    ['an empty response', text(200, '')],
    ...[408, 429, 500, 501, 502, 503, 504, 520, 522, 524].map((status): [string, Step] => [
      `${status}`,
      text(status, ''),
    ]),
    ...[301, 302, 307, 400, 401, 403, 404, 410].map((status): [string, Step] => [
      `${status} with a page, which is not from the service`,
      text(status, '<html>deploying</html>', status < 400 ? { location: '/maintenance' } : {}),
    ]),
    ['404 that a proxy passes on to a page', errorResponse(404, GATEWAY_REJECTION)],
  ])('is not ended by %s, which may pass', async (_, step) => {
    const { end } = poll([processing, step, step, step, succeeded])
    await expect(end).resolves.toEqual(['processing', 'succeeded'])
  })

  test.each([
    ['continues after a function `apiKey` that fails, with a warning', new Error('The vault is away.'), ['succeeded']],
    ['is ended by a wrong key', '', ['ConfigurationError']],
  ])('%s', async (_, first, ends) => {
    const { lines, log } = recordLog('warn')
    const keys = [first]
    const apiKey = async () => {
      const key = keys.pop() ?? API_KEY
      if (typeof key !== 'string') throw key
      return key
    }
    const { end } = poll([succeeded], { apiKey, ...log })
    expect(await end.catch(({ name }) => [name])).toEqual(ends)
    expect(lines).toHaveLength(first === '' ? 0 : 1)
  })

  test('tolerates failures until the deadline, not longer', async () => {
    const { end, times } = poll([broken('ECONNRESET')], { deadlineMs: 60_000 })
    await caught(end, DeadlineExceededError)
    expect(times().length).toBeGreaterThan(10)
    expect(times().every((at) => at < 60_000)).toBe(true)
  })

  test.each([
    [400, ApiError],
    [401, AuthenticationError],
    [403, PermissionDeniedError],
    [404, NotFoundError],
    [410, ApiError],
  ])('is ended by the status %i at once', async (status, type) => {
    const { end, times } = poll([processing, errorResponse(status, 'X')])
    const error = await caught(end, type)
    expect(error).toMatchObject({ jobId: 'job_1', status, submission: 'accepted' })
    expect(times()).toHaveLength(2)
  })

  test.each([
    ['a page with 404', text(404, '<html>no such path</html>'), 'NotFoundError'],
    ['a redirect', text(302, '', { location: '/login' }), 'InvalidResponseError'],
  ])('is ended by %s at once when the service has never named the job', async (_, step, name) => {
    const { end, times } = poll([step])
    await expect(end).rejects.toMatchObject({ name, jobId: 'job_1', submission: 'unknown' })
    expect(times()).toHaveLength(1)
  })

  test.each([
    '{"data":{"job_id":"job_2","status":"succeeded"}}',
    '{"data":{"job_id":2,"status":"succeeded","output":{"items":[]}}}',
    '{"message":"maintenance"}',
    '{"error":{"code":"X","message":"Later."}}',
    '{}',
    'null',
    '{"data":null}',
    '{"data":{"status":"succeeded"}}',
    '{"data":{"status":"succeeded","output":""}}',
  ])(
    'is not ended by a response that is not about the job, or a success whose output is not there yet: %s',
    async (body) => {
      const { lines, log } = recordLog('warn')
      const { end, times } = poll([processing, text(200, body), succeeded], log)
      await expect(end).resolves.toEqual(['processing', 'succeeded'])
      expect(times()).toHaveLength(3)
      expect(lines).toHaveLength(1)
    },
  )

  test.each(['', [], {}, 'none yet', null])(
    'is not ended by the output %j of a job that has not ended',
    async (output) => {
      const { end } = poll([json(200, { data: { status: 'processing', output } }), succeeded])
      await expect(end).resolves.toEqual(['processing', 'succeeded'])
    },
  )

  test('is ended by the fourth output of a wrong shape, which would stay so until the deadline', async () => {
    const { end, times } = poll([processing, json(200, { data: { status: 'succeeded', output: { type: 'image' } } })])
    const error = await caught(end, InvalidResponseError)
    expect(error.message).toContain('output/items')
    expect([times().length, error.attempts.length]).toEqual([5, 5])
  })

  test('is ended by jobs without a wrapper, when the service has said nothing else', async () => {
    const error = await caught(poll([json(200, { status: 'succeeded' })]).end, InvalidResponseError)
    expect(error).toMatchObject({ jobId: 'job_1', submission: 'unknown' })
  })

  test('takes an unknown status for not finished, and warns once (section 3)', async () => {
    const { lines, log } = recordLog('warn')
    const paused = state('paused')
    const { end, times } = poll([paused, paused, paused, succeeded], log)
    await expect(end).resolves.toEqual(['paused', 'succeeded'])
    expect(times()).toEqual([0, 500, 1_000, 1_600])
    expect(lines).toEqual([
      'warn modelrun: the job job_1 has the unknown status "paused"; it is treated as not finished',
    ])
  })

  test.each([
    [429, '30', [0, 30_000, 60_000]],
    [503, '30', [0, 30_000, 60_000]],
    [503, '0', [0, 500, 1_000]],
    [503, 'Thu, 01 Jan 1970 00:00:00 GMT', [0, 500, 1_000]],
  ])('waits as long as Retry-After of a %i asks, and never polls in a hot loop: %s', async (status, header, at) => {
    const slow = errorResponse(status, 'X', { 'retry-after': header })
    const { end, times } = poll([slow, slow, succeeded])
    await end
    expect(times()).toEqual(at)
  })
})

test.each<[string, boolean, (client: ModelRun) => Promise<unknown>]>([
  ['wait', false, (client) => client.jobs.attach('job_1').result()],
  ['wait with onStatus', true, (client) => client.jobs.attach('job_1').result({ onStatus: () => {} })],
  ['watch', true, async (client) => await collect(client.jobs.attach('job_1').updates())],
])('an interval of the caller knows of jobs.%s whether each state is wanted: %s', async (_, isWatched, wait) => {
  const seen: boolean[] = []
  const nextDelayMs = (context: { isWatched: boolean }) => {
    seen.push(context.isWatched)
    return 100
  }
  const { client, clock } = createTestClient([processing, succeeded], { polling: { nextDelayMs } })
  await clock.run(wait(client))
  expect(new Set(seen)).toEqual(new Set([isWatched]))
})
