import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { aborted } from '../../../test/aborted.ts'
import { collect } from '../../../test/collect.ts'
import { settle } from '../../../test/manual-clock.ts'
import { json, type Step } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'

const queued = json(200, fixtures.jobs.queued.body)
const running = json(200, fixtures.jobs.processing.body)
const succeeded = json(200, fixtures.jobs.succeeded.body)

const JOB = { job_id: 'job_1', model_id: 'aurora-image', request_id: 'req_1' }

const attach = (steps: readonly Step[]) => {
  const harness = createTestClient(steps)
  return { ...harness, job: harness.client.jobs.attach(JOB) }
}

describe('a job handle', () => {
  test('goes to another process as JSON and comes back', async () => {
    const { job, client } = attach([succeeded])
    const text = JSON.stringify(job)
    expect(JSON.parse(text)).toEqual(JOB)
    const again = client.jobs.attach(text)
    expect(again).toMatchObject({ id: 'job_1', modelId: 'aurora-image', requestId: 'req_1' })
    await expect(again.result()).resolves.toMatchObject({ model_id: 'aurora-image', request_id: 'req_1' })
  })

  test('shows in JSON only what is known', () => {
    const { client } = attach([])
    expect(JSON.stringify(client.jobs.attach('job_2'))).toBe('{"job_id":"job_2"}')
  })

  test('is not a promise: awaiting it gives the handle', async () => {
    const { job } = attach([])
    expect(await job).toBe(job)
  })

  test('reads the job once, with the data of the wrapper (section 4.4)', async () => {
    const data = { ...fixtures.jobs.unknownFields.body.data, job_id: 'job_1' }
    const { job, service } = attach([json(200, { data }, { 'x-request-id': 'req_2' })])
    await expect(job.get()).resolves.toEqual(data)
    expect((await job.get().withResponse()).requestId).toBe('req_2')
    expect(service.received[0]).toMatchObject({ method: 'GET', path: '/v1/jobs/job_1', body: undefined })
  })
})

describe('updates', () => {
  test('send nothing before the loop starts', async () => {
    const { job, service } = attach([succeeded])
    const updates = job.updates()
    await settle()
    expect(service.received).toHaveLength(0)
    await updates.next()
    expect(service.received).toHaveLength(1)
  })

  test('stop polling when the loop is left, and leave no timer', async () => {
    const { job, clock, service } = attach([queued, running])
    const loop = async () => {
      for await (const { status } of job.updates()) if (status === 'processing') break
    }
    await clock.run(loop())
    expect(clock.timerCount).toBe(0)
    await clock.advance(60_000)
    expect(service.received).toHaveLength(2)
  })

  test('end with an error of the job only in its state, not as an exception', async () => {
    const { job } = attach([json(200, fixtures.jobs.failed.body)])
    await expect(collect(job.updates())).resolves.toMatchObject([{ status: 'failed' }])
  })

  test('end with AbortedError while they wait', async () => {
    const { job, clock } = attach([running])
    const error = await aborted((signal) => collect(job.updates({ signal })))
    expect(error.job).toBe(job)
    expect(clock.timerCount).toBe(0)
  })
})
