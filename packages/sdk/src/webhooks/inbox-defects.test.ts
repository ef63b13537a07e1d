import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import {
  gate,
  jobsOf,
  openEngine,
  openInbox,
  PUBLIC_URL,
  SECRET,
  SUCCEEDED,
  SUCCEEDED_JOB,
} from '../../test/test-inbox.ts'
import { NotFoundError } from '../client/errors/api-errors.ts'

/** Defects that an attack on an earlier inbox found, each as its attacker or its outage brings it about. */
const { job_id } = SUCCEEDED
const signed = { secret: SECRET, publicUrl: PUBLIC_URL }
const DAY_MS = 86_400_000

/** A service that has these jobs, which have succeeded, and no others. */
const serviceWith = (...ids: string[]) =>
  jobsOf((id) => {
    if (!ids.includes(id)) throw new NotFoundError({ message: 'no such job', status: 404, apiCode: 'NOT_FOUND' })
    return SUCCEEDED_JOB
  })

test('handlers that never end do not stop the others (D3)', async () => {
  const onSucceeded = vi.fn(async ({ job_id }: { job_id: string }) => {
    if (job_id.startsWith('stuck')) await new Promise(() => {})
  })
  const { clock, deliver, handled } = openInbox({ onSucceeded, concurrency: 8, maxRunMs: 10_000 })
  for (let n = 0; n < 8; n++) await deliver({ ...SUCCEEDED, job_id: `stuck_${n}` })
  for (let n = 0; n < 10; n++) await deliver({ ...SUCCEEDED, job_id: `job_${n}` })
  await clock.advance(10_000)
  expect(handled()).toBe(10)
})

describe('a callback URL that leaked, of a run that is not noted yet (D8)', () => {
  const invented = { ...SUCCEEDED, job_id: 'invented' }

  test('is not taken by an invented job: the genuine delivery is handled with its context (A)', async () => {
    const onSucceeded = vi.fn()
    const { inbox, clock, deliver } = openInbox({ ...signed, client: serviceWith(job_id).client, onSucceeded })
    const { url } = await inbox.prepare({ context: 'mine' })
    await deliver(invented, url)
    await clock.advance(60_000)
    await expect(deliver(SUCCEEDED, url)).resolves.toBe(202)
    await settle()
    expect(onSucceeded.mock.calls).toMatchObject([[{ job_id }, { context: 'mine' }]])
  })

  test('does not lose the context of a run that is prepared, and then found by a poll (B)', async () => {
    const onSucceeded = vi.fn()
    const { inbox, clock, deliver } = openInbox({ ...signed, client: serviceWith(job_id).client, onSucceeded })
    inbox.start()
    const { url, ref } = await inbox.prepare({ context: 'mine' })
    await deliver(invented, url)
    await clock.advance(30_000)
    await inbox.expect(job_id, { ref })
    await clock.advance(60_000)
    expect(onSucceeded.mock.calls).toMatchObject([[{ job_id }, { context: 'mine', source: 'poll' }]])
    await inbox.drain()
  })

  test('is not taken by another job of the account that has a URL of its own (C)', async () => {
    const onSucceeded = vi.fn()
    const client = serviceWith(job_id, 'job_2').client
    const { inbox, deliver } = openInbox({ ...signed, client, onSucceeded })
    const [first, second] = [await inbox.prepare({ context: 'first' }), await inbox.prepare({ context: 'second' })]
    await inbox.expect('job_2', { ref: second.ref })
    await expect(deliver({ ...SUCCEEDED, job_id: 'job_2' }, first.url)).resolves.toBe(401)
    await deliver({ ...SUCCEEDED, job_id: 'job_2' }, second.url)
    await deliver(SUCCEEDED, first.url)
    await settle()
    const contexts = onSucceeded.mock.calls.map(([{ job_id }, { context }]) => [job_id, context])
    expect(contexts).toEqual([
      ['job_2', 'second'],
      [job_id, 'first'],
    ])
  })

  test('gives its context to one of two jobs that are delivered there at once; the service confirms both', async () => {
    const onSucceeded = vi.fn()
    const { opened, open: respond } = gate()
    const { client } = jobsOf(async () => {
      await opened
      return SUCCEEDED_JOB
    })
    const { inbox, deliver } = openInbox({ ...signed, client, onSucceeded })
    const { url } = await inbox.prepare({ context: 'mine' })
    for (const id of [job_id, 'job_2']) await expect(deliver({ ...SUCCEEDED, job_id: id }, url)).resolves.toBe(202)
    respond()
    await settle()
    const contexts = onSucceeded.mock.calls.map(([, { context }]) => context)
    expect(contexts).toEqual(expect.arrayContaining(['mine', undefined]))
    expect(contexts).toHaveLength(2)
  })
})

describe('a flood of invented jobs without a secret (D9)', () => {
  test.each([300, 5_000])('of %i delays the result of an expected job by at most 2 s', async (inventions) => {
    const onSucceeded = vi.fn()
    const { inbox, clock, deliver } = openInbox({ client: serviceWith(job_id).client, onSucceeded })
    inbox.start()
    await inbox.expect(job_id)
    for (let n = 0; n < inventions; n++) await deliver({ ...SUCCEEDED, job_id: `invented_${n}` })
    await expect(deliver(SUCCEEDED)).resolves.toBe(202)
    await clock.advance(2_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
    await inbox.drain()
  })

  test('is stored and polled up to a bound: 600 deliveries wait, and 10 are polled a second', async () => {
    const { client, calls } = serviceWith()
    const shared = openEngine()
    const { clock, deliver } = openInbox({ ...shared, client })
    const flood = async () => {
      const statuses: number[] = []
      for (let n = 0; n < 1_000; n++) statuses.push(await deliver({ ...SUCCEEDED, job_id: `${clock.now()}_${n}` }))
      return statuses.filter((status) => status === 202).length
    }
    await expect(flood()).resolves.toBe(600)
    expect(shared.engine.calls.add).toBe(600)
    await expect(flood()).resolves.toBe(0)
    await clock.advance(60_000)
    expect(calls.length).toBeLessThanOrEqual(10 * 60 + 1)
    await clock.advance(4 * 60_000)
    await expect(flood()).resolves.toBe(600)
  })
})

describe('further attacks', () => {
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
    expect(calls.length).toBeLessThanOrEqual(201)
  })
})
