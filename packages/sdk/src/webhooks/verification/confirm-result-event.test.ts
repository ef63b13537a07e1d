import type { Job } from '@modelrun/contract'
import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import type { UnknownEvent } from '../webhook-event.ts'
import { eventOfJob } from './confirm-result.ts'

const succeeded = fixtures.webhooks.succeeded.body
const failed = fixtures.webhooks.failed.body
const unknown: UnknownEvent = { status: 'unknown', job_id: 'job_1', reported_status: 'x', payload: { forged: true } }

const forged = { ...succeeded, output: { type: 'image', items: [{ type: 'image', url: 'https://evil.example.com' }] } }

const asUnknown = (job_id: string, job: Job) => ({
  status: 'unknown',
  job_id,
  reported_status: job.status,
  payload: job,
})

describe('eventOfJob (section 6, rule 4)', () => {
  test('copies what only deliveries have when the members of the output come in another order', () => {
    const { job_id, output } = succeeded
    const items = output.items.map((item) => Object.fromEntries(Object.entries(item).toReversed()))
    const job = { status: 'succeeded', output: { items, type: output.type } } as Job
    expect(eventOfJob(job_id, job, succeeded)).toEqual(succeeded)
  })

  test('gives the output of the service, and nothing of a delivery with another output', () => {
    const { output } = fixtures.jobs.succeeded.body.data
    const { job_id } = succeeded
    const delivered = { ...forged, credits_used: -99_999 } as typeof forged
    expect(eventOfJob(job_id, { status: 'succeeded', output }, delivered)).toStrictEqual({
      job_id,
      status: 'succeeded',
      output,
    })
  })

  test('gives the credits and the time of a delivery with the same output, and none of its newer fields', () => {
    const { output } = succeeded
    const delivered = { ...succeeded, injected: 'x' } as typeof succeeded
    expect(eventOfJob(succeeded.job_id, { status: 'succeeded', output }, delivered)).toStrictEqual(succeeded)
  })

  test('gives no more of a delivery than it had', () => {
    const { job_id, output, credits_used, completed_at } = succeeded
    const bare = { job_id, status: 'succeeded', output } as const
    for (const more of [{}, { credits_used }, { completed_at }]) {
      const delivered = { ...bare, ...more }
      expect(eventOfJob(job_id, { status: 'succeeded', output }, delivered)).toStrictEqual(delivered)
    }
  })

  test('gives a success without credits when none was delivered, or it was delivered as a failure', () => {
    const { output } = fixtures.jobs.succeeded.body.data
    for (const delivered of [undefined, failed]) {
      expect(eventOfJob('job_1', { status: 'succeeded', output }, delivered)).toStrictEqual({
        job_id: 'job_1',
        status: 'succeeded',
        output,
      })
    }
  })

  test('gives the failure that the service says, whatever was delivered', () => {
    const { error } = fixtures.jobs.failed.body.data
    for (const delivered of [succeeded, failed, undefined]) {
      const event = eventOfJob('job_1', { status: 'failed', error }, delivered)
      expect(event).toStrictEqual({ job_id: 'job_1', status: 'failed', error })
    }
    expect(eventOfJob('job_1', { status: 'failed' }, failed)).toMatchObject({
      error: { code: 'UNKNOWN', message: 'The service gave no reason.' },
    })
  })

  test.each(['queued', 'processing', 'a newer status'])(
    'gives nothing while the service says %s (section 3)',
    (status) => {
      for (const delivered of [succeeded, failed, undefined]) {
        expect(eventOfJob('job_1', { status }, delivered)).toBeUndefined()
      }
    },
  )

  test.each<[string, Job]>([
    ['a job that was cancelled', { status: 'cancelled' }],
    ['a success without an output', { status: 'succeeded' }],
  ])('gives what the service says as unknown for %s', (_, job) => {
    for (const delivered of [succeeded, undefined]) {
      expect(eventOfJob('job_1', job, delivered)).toEqual(asUnknown('job_1', job))
    }
  })

  test.each(['cancelled', 'x'])('gives an unknown event the status that the service says: %s', (status) => {
    expect(eventOfJob('job_1', { status }, unknown)).toEqual(asUnknown('job_1', { status }))
  })

  test.each(['queued', 'processing'])('gives nothing for an unknown event while the service says %s', (status) => {
    expect(eventOfJob('job_1', { status }, unknown)).toBeUndefined()
  })

  test('gives the result of a job instead of an unknown event', () => {
    expect(eventOfJob('job_1', { status: 'failed' }, unknown)).toMatchObject({ status: 'failed' })
  })
})
