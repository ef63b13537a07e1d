import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { jobIdOfKey, jobKey, readStoredJob, readStoredRun, type StoredJob } from './stored-job.ts'

const { succeeded, failed } = fixtures.webhooks
const { credits_used: _, completed_at: __, ...polled } = succeeded.body
const through = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('the data of a job', () => {
  test.each<[string, StoredJob]>([
    ['a success', { source: 'webhook', token: 'none', event: succeeded.body, notedAt: 7 }],
    [
      'one with a field that is newer',
      { source: 'webhook', token: 'none', event: { ...succeeded.body, seed: 7 } as never, notedAt: 7 },
    ],
    ['a result that was polled', { source: 'poll', token: 'none', event: polled, notedAt: 7 }],
    [
      'a failure',
      { source: 'webhook', token: 'genuine', ref: 'x', event: failed.body, handledStatus: 'a', notedAt: 7 },
    ],
    [
      'an unknown event',
      {
        source: 'webhook',
        token: 'expired',
        ref: 'x',
        event: { status: 'unknown', job_id: 'a', reported_status: 'b', payload: { job_id: 'a', deep: [{ c: null }] } },
        notedAt: 7,
      },
    ],
  ])('gives back %s as it was', (_name, job) => {
    expect(readStoredJob(through(job))).toEqual(job)
  })

  test.each([
    undefined,
    null,
    'text',
    {},
    { source: 'mail', token: 'none', event: succeeded.body, notedAt: 7 },
    { source: 'webhook', token: 'none', event: succeeded.body },
    { source: 'webhook', token: 'none', event: { job_id: 'a' }, notedAt: 7 },
    { source: 'webhook', token: 'none', event: { ...succeeded.body, output: undefined }, notedAt: 7 },
  ])('takes nothing else: %j', (value) => {
    expect(readStoredJob(value)).toBeUndefined()
  })
})

test('version 0.1.0 stored when a delivery came', () => {
  const old = { source: 'webhook', token: 'none', event: succeeded.body, receivedAt: 7 }
  expect(readStoredJob(old)).toEqual({ source: 'webhook', token: 'none', event: succeeded.body, notedAt: 7 })
})

test('the data of a run is read as it was, and undefined when it is not readable', () => {
  const full = { modelId: 'm', context: { a: 1 }, isPrepared: true, key: 'job_1', notedAt: 7 }
  expect(readStoredRun(through(full))).toEqual(full)
  for (const value of [undefined, null, {}, { notedAt: 'x' }]) expect(readStoredRun(value)).toBeUndefined()
})

test.each(['job_1', 'a:b', 'a?b', '100%', '%3A', 'ü/🦊'])('the task of the job %j is found by its id', (jobId) => {
  expect(jobIdOfKey(jobKey(jobId))).toBe(jobId)
  expect(jobIdOfKey(`${jobKey(jobId)}?of-0.1.0`)).toBe(jobId)
})
