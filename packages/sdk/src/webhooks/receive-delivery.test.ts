import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { openCore } from '../../test/test-core.ts'
import {
  FAILED,
  jobsOf,
  openEngine,
  openInbox,
  PUBLIC_URL,
  SECRET,
  SUCCEEDED,
  SUCCEEDED_JOB,
} from '../../test/test-inbox.ts'
import { WebhookParseError } from '../client/errors/local-errors.ts'
import type { InboxOptions } from './inbox-options.ts'
import { createReceive, type Delivery } from './receive-delivery.ts'

const { job_id } = SUCCEEDED
const signed = { secret: SECRET, publicUrl: PUBLIC_URL }
const { client } = jobsOf(() => SUCCEEDED_JOB)

/** What receives deliveries, and what it has the workers do. */
function openReceive(options: InboxOptions = {}) {
  const harness = openCore({ client, ...options })
  const worked: Delivery['waitUntil'][] = []
  const receive = createReceive(harness.core, (waitUntil) => void worked.push(waitUntil))
  const deliver = async (event: unknown = SUCCEEDED, request: Partial<Delivery> = {}) => {
    const readBody = async () => JSON.stringify(event)
    const response = await receive({ method: 'POST', url: PUBLIC_URL, readBody, ...request })
    const { message } = (await response.json()) as { message: string }
    return [response.status, message] as const
  }
  const createUrl = async () => {
    const created = await harness.core.options.tokens?.create(PUBLIC_URL)
    return created ?? { url: '', ref: '' }
  }
  return { ...harness, worked, receive, deliver, createUrl }
}

describe('a delivery', () => {
  test('is stored as it came, and handled', async () => {
    const { deliver, worked, engine, clock } = openReceive()
    const waitUntil = () => {}
    await expect(deliver(SUCCEEDED, { waitUntil })).resolves.toEqual([202, 'accepted'])
    await expect(engine.task('results', job_id)).resolves.toMatchObject({
      data: { source: 'webhook', token: 'none', event: SUCCEEDED, notedAt: clock.now() },
    })
    expect(worked).toEqual([waitUntil])
  })

  test('that is not a POST gets 405, and the method that works', async () => {
    const { receive, worked } = openReceive()
    const response = await receive({ method: 'GET', readBody: () => Promise.reject(new Error('the body was read')) })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    await expect(response.json()).resolves.toEqual({ message: 'A webhook delivery is a POST request.' })
    expect(worked).toEqual([])
  })

  test('gets 503 from a receiver that is about to end', async () => {
    const { core, deliver, engine } = openReceive()
    core.stopping.abort()
    await expect(deliver()).resolves.toEqual([503, 'This receiver is about to end.'])
    expect(engine.calls).toEqual({})
  })

  test.each([
    ['cannot be read', new Error('reset'), [400, 'The webhook body could not be read.']],
    ['came too slowly', new WebhookParseError({ message: 'too slow', status: 408 }), [408, 'too slow']],
    ['is not usable', new WebhookParseError({ message: 'not JSON' }), [400, 'not JSON']],
  ])('whose body %s gets to know why', async (_, error, response) => {
    const { deliver } = openReceive()
    await expect(deliver(SUCCEEDED, { readBody: () => Promise.reject(error) })).resolves.toEqual(response)
  })

  test('has its response within 8 s', async () => {
    const { clock, deliver } = openReceive()
    const late = deliver(SUCCEEDED, { readBody: () => new Promise(() => {}) })
    await clock.advance(8_000)
    await expect(late).resolves.toEqual([503, 'The delivery could not be stored.'])
  })

  test('has its response at 8 s and not before, when the engine takes it in time', async () => {
    const { clock, deliver } = openReceive()
    const readBody = async () => {
      await clock.advance(7_999)
      return JSON.stringify(SUCCEEDED)
    }
    await expect(deliver(SUCCEEDED, { readBody })).resolves.toEqual([202, 'accepted'])
  })
})

test('a delivery without a token, of a job that is not expected, gets 503 after 600 others in a minute', async () => {
  const { core, clock, deliver } = openReceive()
  for (let n = 0; n < 600; n++) await deliver({ ...SUCCEEDED, job_id: `job_${n}` })
  await core.queues.jobs.add('job_expected', { isExpected: true, notedAt: 0 })
  await expect(deliver()).resolves.toEqual([503, 'There are too many deliveries that have to be verified.'])
  await expect(deliver({ ...SUCCEEDED, job_id: 'job_expected' })).resolves.toEqual([202, 'accepted'])
  await clock.advance(60_000)
  await expect(deliver()).resolves.toEqual([202, 'accepted'])
})

test('a token is stored as what it is, also when it expired, which needs a client', async () => {
  const { deliver, engine, createUrl, clock } = openReceive(signed)
  const { url, ref } = await createUrl()
  await deliver(SUCCEEDED, { url })
  await expect(engine.task('results', job_id)).resolves.toMatchObject({ data: { token: 'genuine', ref } })
  await clock.advance(2 * 86_400_000)
  await expect(deliver(FAILED, { url })).resolves.toEqual([202, 'accepted'])
  await expect(engine.task('results', FAILED.job_id)).resolves.toMatchObject({ data: { token: 'expired' } })
  const withoutClient = openReceive({ ...signed, client: undefined, clock, engine })
  await expect(withoutClient.deliver(FAILED, { url })).resolves.toMatchObject([401, expect.any(String)])
})

describe('a callback URL', () => {
  test.each([
    ['is taken for the job that it belongs to', job_id, 202],
    ['is not taken for another job', 'job_other', 401],
  ])('%s', async (_, key, status) => {
    const { core, deliver, createUrl, worked } = openReceive(signed)
    const { url, ref } = await createUrl()
    await core.queues.runs.add(ref, { key, notedAt: 0 })
    const [responded] = await deliver(SUCCEEDED, { url })
    expect([responded, worked.length]).toEqual([status, status === 202 ? 1 : 0])
  })

  test.each([
    ['is taken for a job that was expected with it', (ref: string) => ({ ref }), 202],
    ['is not taken for a job that was expected with another', () => ({ ref: 'ref_2' }), 401],
    ['is taken for a job that was expected without one', () => ({}), 202],
  ])('%s', async (_, urlOf, status) => {
    const { core, deliver, createUrl } = openReceive(signed)
    const { url, ref } = await createUrl()
    await core.queues.jobs.add(job_id, { isExpected: true, notedAt: 0, ...urlOf(ref) })
    const [responded] = await deliver(SUCCEEDED, { url })
    expect(responded).toBe(status)
  })
})

describe('an inbox with a secret', () => {
  test.each([
    ['without a token', (url: string) => url.replace(/\?.*/, '')],
    ['with a forged token', (url: string) => url.replace(/.{4}$/, 'AAAA')],
  ])('responds 401 to one %s, before it reads the body or asks the engine', async (_, change) => {
    const shared = openEngine()
    const { inbox, notices } = openInbox({ ...signed, ...shared })
    const url = change(await inbox.callbackUrl())
    const body = new ReadableStream(
      { pull: () => Promise.reject(new Error('the body was read')) },
      { highWaterMark: 0 },
    )
    const init = { method: 'POST', body, duplex: 'half' }
    const response = await inbox.handle(new Request(url, init))
    expect(response.status).toBe(401)
    expect(shared.engine.calls).toEqual({})
    expect(notices.onHandlerError).toEqual([])
  })

  test('responds 401 to a second job at the same URL, and 202 to duplicates of the first', async () => {
    const onFailed = vi.fn()
    const { inbox, deliver } = openInbox({ ...signed, onFailed })
    const url = await inbox.callbackUrl()
    await deliver(SUCCEEDED, url)
    await settle()
    await expect(deliver({ ...FAILED, job_id: 'job_other' }, url)).resolves.toBe(401)
    await expect(deliver(SUCCEEDED, url)).resolves.toBe(202)
    await settle()
    expect(onFailed).not.toHaveBeenCalled()
  })
})
