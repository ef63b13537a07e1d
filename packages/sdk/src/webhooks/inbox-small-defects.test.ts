import { Readable } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { jobsOf, openInbox, PUBLIC_URL, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import { NotFoundError } from '../client/errors/api-errors.ts'

const { job_id } = SUCCEEDED
const signed = { secret: SECRET, publicUrl: PUBLIC_URL }
const DAY_MS = 86_400_000

/** A service that has these jobs, which have succeeded, and no others. */
const serviceWith = (...ids: string[]) =>
  jobsOf((id) => {
    if (!ids.includes(id)) throw new NotFoundError({ message: 'no such job', status: 404 })
    return SUCCEEDED_JOB
  })

describe('further defects of an earlier inbox', () => {
  test('a URL that leaked runs the handler once, however long ago it expired', async () => {
    const onSucceeded = vi.fn()
    const { inbox, clock, deliver } = openInbox({ ...signed, client: serviceWith(job_id).client, onSucceeded })
    const url = await inbox.callbackUrl()
    const statuses: number[] = []
    for (let day = 0; day < 20; day++) {
      statuses.push(await deliver(SUCCEEDED, url))
      await clock.advance(DAY_MS)
      await clock.run(inbox.sweep())
    }
    expect(onSucceeded).toHaveBeenCalledOnce()
    // Six days after its end the token is not even a hint.
    expect(statuses).toEqual(statuses.map((_, day) => (day < 7 ? 202 : 401)))
  })

  test.each<[string, object]>([
    ['without a secret', {}],
    ['at a URL that leaked', signed],
  ])('200 invented statuses of a job run `onUnknown` at most once (%s)', async (_, options) => {
    const onUnknown = vi.fn()
    const { client, calls } = jobsOf(() => ({ status: 'archived' }))
    const { inbox, clock, deliver } = openInbox({ ...options, client, onUnknown })
    const url = 'secret' in options ? await inbox.callbackUrl() : PUBLIC_URL
    for (let n = 0; n < 200; n++) await deliver({ job_id, status: `invented_${n}` }, url)
    await clock.advance(120_000)
    expect(onUnknown.mock.calls.map(([event]) => event.reported_status)).toEqual(['archived'])
    expect(calls.length).toBeLessThanOrEqual(200)
  })

  test('the statuses of a job that has ended do not run `onUnknown`, and do not hide its result', async () => {
    const [onUnknown, onSucceeded] = [vi.fn(), vi.fn()]
    const { clock, deliver } = openInbox({ client: serviceWith(job_id).client, onUnknown, onSucceeded })
    for (let n = 0; n < 20; n++) await deliver({ job_id, status: `invented_${n}` })
    await clock.advance(60_000)
    expect([onUnknown.mock.calls.length, onSucceeded.mock.calls.length]).toEqual([0, 1])
  })

  test.each(['.', '..'])('the job id %s is rejected, and never polled', async (id) => {
    const { client, calls } = serviceWith()
    const { clock, deliver } = openInbox({ client })
    await expect(deliver({ ...SUCCEEDED, job_id: id })).resolves.toBe(400)
    await clock.advance(60_000)
    expect(calls).toEqual([])
  })

  test('a parsed body above 256 KiB is rejected, as one that is not parsed', async () => {
    const { inbox } = openInbox({ client: serviceWith().client })
    const body = { ...SUCCEEDED, filler: 'x'.repeat(5_000_000) }
    const request = Object.assign(Readable.from([]), { method: 'POST', url: '/hook', body })
    const response = { statusCode: 0, setHeader: () => {}, end: vi.fn() }
    await inbox.node()(request, response)
    expect(response.statusCode).toBe(400)
    expect(response.end).toHaveBeenCalledWith(expect.stringContaining('larger than 262144 bytes'))
  })
})
