import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { collect } from '../../../test/collect.ts'
import { settle } from '../../../test/manual-clock.ts'
import { createSimulatedClient } from '../../../test/simulated-jobs.ts'
import { NotFoundError } from '../errors/api-errors.ts'
import { AbortedError } from '../errors/transport-errors.ts'

const missing = (jobId: string) =>
  jobId === 'job_gone'
    ? Response.json({ error: { code: 'NOT_FOUND', message: 'No such job' } }, { status: 404 })
    : undefined

describe('jobs.settle', () => {
  test('yields each job in the order in which they end', async () => {
    const ends: Record<string, number> = { job_a: 30_000, job_b: 10_000, job_c: 20_000 }
    const { clock, client } = createSimulatedClient({ endsAt: (id) => ends[id] ?? 0 })
    const settled = await clock.run(collect(client.jobs.settle(['job_a', 'job_b', 'job_c'])))
    expect(settled.map(({ job_id }) => job_id)).toEqual(['job_b', 'job_c', 'job_a'])
    expect(settled[0]).toMatchObject({ status: 'fulfilled', value: { job_id: 'job_b', status: 'succeeded' } })
  })

  test('takes ids, JSON and handles, also twice the same', async () => {
    const { clock, client } = createSimulatedClient()
    const handle = client.jobs.attach('job_a')
    const settled = await clock.run(collect(client.jobs.settle(['job_a', { job_id: 'job_a' }, handle])))
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
  })

  test('yields the error of one job and continues with the others', async () => {
    const { clock, client } = createSimulatedClient({ rejectPoll: ({ jobId }) => missing(jobId) })
    const settled = await clock.run(collect(client.jobs.settle(['job_gone', 'job_a'])))
    const failed = settled.find(({ job_id }) => job_id === 'job_gone')
    expect(failed?.status === 'rejected' && failed.reason).toBeInstanceOf(NotFoundError)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('yields an AbortedError for each job that was still running when its signal aborted', async () => {
    const { clock, client } = createSimulatedClient({ endsAt: () => Number.POSITIVE_INFINITY })
    const controller = new AbortController()
    const all = collect(client.jobs.settle(['job_a', 'job_b'], { signal: controller.signal }))
    await settle()
    controller.abort()
    const settled = await clock.run(all)
    expect(settled.map((job) => job.status === 'rejected' && job.reason instanceof AbortedError)).toEqual([true, true])
  })

  test('stops its polls when the loop is left', async () => {
    const { clock, client, service } = createSimulatedClient({
      endsAt: (id) => (id === 'job_a' ? 0 : Infinity),
    })
    const loop = async () => {
      for await (const _ of client.jobs.settle(['job_a', 'job_b'])) break
    }
    await clock.run(loop())
    const before = service.polls.length
    await clock.advance(60_000)
    expect(service.polls).toHaveLength(before)
    expect(clock.timerCount).toBe(0)
  })

  test('ends at once for no jobs', async () => {
    await expect(collect(createSimulatedClient().client.jobs.settle([]))).resolves.toEqual([])
  })

  test('throws at once when one of them is not a job, or the deadline is wrong, and polls nothing', async () => {
    const { client, service, clock } = createSimulatedClient()
    expect(() => client.jobs.settle(['job_a', ''])).toThrow(ConfigurationError)
    expect(() => client.jobs.settle(['job_a'], { deadlineMs: 0 })).toThrow(ConfigurationError)
    await clock.advance(60_000)
    expect(service.polls).toHaveLength(0)
  })
})
