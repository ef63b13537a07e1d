import type { Job } from '@modelrun/contract'
import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { confirmEvent, UnconfirmedError } from './confirm-event.ts'
import type { UnknownEvent } from './webhook-event.ts'

const succeeded = fixtures.webhooks.succeeded.body
const failed = fixtures.webhooks.failed.body
const unknown: UnknownEvent = { status: 'unknown', job_id: 'job_1', reported_status: 'x', payload: { forged: true } }

const forged = { ...succeeded, output: { type: 'image', items: [{ type: 'image', url: 'https://evil.example.com' }] } }

/** A service that says that the job is this. */
const says = (job: Job) => ({ jobs: { get: async () => job } })

const asUnknown = (job_id: string, job: Job) => ({
  status: 'unknown',
  job_id,
  reported_status: job.status,
  payload: job,
})

describe('confirmEvent (section 6, rule 4)', () => {
  test('believes the delivery without a client', async () => {
    await expect(confirmEvent(forged, undefined)).resolves.toBe(forged)
  })

  test('gives the output of the service, not that of the delivery', async () => {
    const { output } = fixtures.jobs.succeeded.body.data
    const event = await confirmEvent(
      { ...forged, injected: 'x' } as typeof forged,
      says({ status: 'succeeded', output }),
    )
    const { job_id, credits_used, completed_at } = succeeded
    expect(event).toEqual({ job_id, status: 'succeeded', output, credits_used, completed_at })
  })

  test('gives the failure that the service says, whatever was delivered', async () => {
    const { error } = fixtures.jobs.failed.body.data
    for (const event of [succeeded, failed]) {
      await expect(confirmEvent(event, says({ status: 'failed', error }))).resolves.toEqual({
        job_id: event.job_id,
        status: 'failed',
        error,
      })
    }
    await expect(confirmEvent(failed, says({ status: 'failed' }))).resolves.toMatchObject({
      error: { code: 'UNKNOWN' },
    })
  })

  test.each(['queued', 'processing', 'a newer status'])(
    'does not confirm a result while the service says %s (section 3)',
    async (status) => {
      for (const event of [succeeded, failed]) {
        await expect(confirmEvent(event, says({ status }))).rejects.toThrow(UnconfirmedError)
        await expect(confirmEvent(event, says({ status }))).rejects.toThrow(`the service says ${status}`)
      }
    },
  )

  test.each<[string, typeof succeeded | typeof failed, Job]>([
    ['a job that was cancelled', succeeded, { status: 'cancelled' }],
    ['a success that was delivered as a failure', failed, fixtures.jobs.succeeded.body.data],
    ['a success without an output', succeeded, { status: 'succeeded' }],
  ])('gives what the service says as unknown for %s', async (_, event, job) => {
    await expect(confirmEvent(event, says(job))).resolves.toEqual(asUnknown(event.job_id, job))
  })

  test.each(['processing', 'succeeded', 'failed', 'x'])(
    'leaves an unknown event unknown, with the job as it is: %s',
    async (status) => {
      await expect(confirmEvent(unknown, says({ status }))).resolves.toEqual(asUnknown('job_1', { status }))
    },
  )

  test('lets the errors of the client through', async () => {
    const client = { jobs: { get: () => Promise.reject(new Error('no such job')) } }
    await expect(confirmEvent(succeeded, client)).rejects.toThrow('no such job')
  })
})
