import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../testing/manual-clock.ts'
import { FAILED, jobsOf, openInbox, PUBLIC_URL, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../../testing/test-inbox.ts'

const { job_id } = SUCCEEDED
const signed = { secret: SECRET, publicUrl: PUBLIC_URL }
const context = { order: 7, items: ['a'] }

describe('callbackUrl', () => {
  test('makes an address whose delivery has the context that it was given', async () => {
    const onSucceeded = vi.fn()
    const { inbox, deliver } = openInbox({ ...signed, onSucceeded })
    const url = await inbox.callbackUrl(undefined, context)
    expect(url).toMatch(/^https:\/\/app\.example\.com\/hook\?modelrun_token=v1\./)
    expect(url).not.toContain('order')
    await deliver(SUCCEEDED, url)
    await settle()
    expect(onSucceeded.mock.calls[0]?.[1]).toMatchObject({ context })
  })

  test('takes another address than that of the inbox, for instance of a tunnel', async () => {
    const { inbox, deliver } = openInbox(signed)
    const url = await inbox.callbackUrl('https://tunnel.example.net/x')
    expect(url).toMatch(/^https:\/\/tunnel\.example\.net\/x\?/)
    await expect(deliver(SUCCEEDED, url)).resolves.toBe(202)
  })

  test('works without `publicUrl` when it is given an address', async () => {
    const { inbox, deliver } = openInbox({ secret: SECRET })
    await expect(deliver(SUCCEEDED, await inbox.callbackUrl('http://127.0.0.1:4020/hook'))).resolves.toBe(202)
    await expect(inbox.callbackUrl()).rejects.toThrow('does not know its address')
  })

  test('throws without a secret', async () => {
    await expect(openInbox().inbox.callbackUrl(PUBLIC_URL)).rejects.toThrow('pass `createInbox({ secret })`')
  })
})

describe('a run that was prepared and then expected', () => {
  test('has its context in its handler, and its intent is gone', async () => {
    const onSucceeded = vi.fn()
    const { inbox, deliver, store } = openInbox({ ...signed, onSucceeded })
    const { url, ref } = await inbox.prepare({ modelId: 'aurora-image', context })
    await expect(store.get(`ref:${ref}`)).resolves.toMatchObject({ state: 'expected', dueInMs: 900_000 })
    await inbox.expect(job_id, { ref })
    await expect(store.get(`ref:${ref}`)).resolves.toBeUndefined()
    await expect(store.get(job_id)).resolves.toMatchObject({
      state: 'expected',
      ref,
      dueInMs: 60_000,
      context: { modelId: 'aurora-image', context },
    })
    await deliver(SUCCEEDED, url)
    await settle()
    expect(onSucceeded.mock.calls[0]?.[1]).toMatchObject({ context, source: 'webhook' })
  })

  test('refuses the delivery of another job at its address', async () => {
    const { inbox, deliver } = openInbox(signed)
    const { url, ref } = await inbox.prepare()
    await inbox.expect(job_id, { ref })
    await expect(deliver(FAILED.job_id === job_id ? { ...FAILED, job_id: 'job_2' } : FAILED, url)).resolves.toBe(401)
    await expect(deliver(SUCCEEDED, url)).resolves.toBe(202)
  })

  test('cannot be expected as two jobs', async () => {
    const { inbox } = openInbox(signed)
    const { ref } = await inbox.prepare()
    await inbox.expect('job_1', { ref })
    await expect(inbox.expect('job_1', { ref })).resolves.toBeUndefined()
    await expect(inbox.expect('job_2', { ref })).rejects.toThrow('belongs to another job than job_2')
  })

  test('is looked at when it was told to be', async () => {
    const { inbox, store } = openInbox(signed)
    await inbox.expect('job_1', { pollInMs: 5_000, context })
    await expect(store.get('job_1')).resolves.toMatchObject({ dueInMs: 5_000, context: { context } })
  })

  test('may have been delivered before it was expected: then nothing is undone', async () => {
    const { inbox, deliver, store } = openInbox(signed)
    const { url, ref } = await inbox.prepare({ context })
    await deliver(SUCCEEDED, url)
    await settle()
    await inbox.expect(job_id, { ref })
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'done' })
    await expect(store.get(`ref:${ref}`)).resolves.toBeUndefined()
  })
})

describe('a run whose answer was lost', () => {
  test('is known by its delivery: the handler has the context, and no alarm is given', async () => {
    const onSucceeded = vi.fn()
    const { client } = jobsOf(() => SUCCEEDED_JOB)
    const { inbox, deliver, clock, told } = openInbox({ ...signed, client, onSucceeded })
    inbox.start()
    const { url } = await inbox.prepare({ context })
    await clock.advance(60_000)
    await deliver(SUCCEEDED, url)
    await settle()
    expect(onSucceeded.mock.calls[0]?.[1]).toMatchObject({ context })
    await clock.advance(3_600_000)
    expect(told.onOrphanIntent).toEqual([])
    await inbox.drain()
  })

  test('keeps its context over the failed runs of the handler, also in another process', async () => {
    const first = openInbox({ ...signed, onSucceeded: () => Promise.reject(new Error('no')) })
    const { url } = await first.inbox.prepare({ context })
    await first.deliver(SUCCEEDED, url)
    await settle()
    await first.inbox.drain()
    const onSucceeded = vi.fn()
    const { clock, store } = first
    const second = openInbox({ ...signed, clock, store, onSucceeded })
    await clock.advance(1_000)
    await second.inbox.sweep()
    expect(onSucceeded.mock.calls[0]?.[1]).toMatchObject({ context, attempt: 2 })
  })

  test('keeps its context when an event of unknown status came first, and its result is then looked for', async () => {
    const onUnknown = vi.fn()
    const onSucceeded = vi.fn()
    const { inbox, deliver, store } = openInbox({ ...signed, onUnknown, onSucceeded })
    const { url, ref } = await inbox.prepare({ context })
    await deliver({ job_id, status: 'uploading' }, url)
    await settle()
    await deliver({ job_id, status: 'checking' }, url)
    await settle()
    expect(onUnknown.mock.calls.map(([, { context }]) => context)).toEqual([context, context])
    await expect(store.get(job_id)).resolves.toMatchObject({ state: 'expected', ref, context: { context } })
    await deliver(SUCCEEDED, url)
    await settle()
    expect(onSucceeded.mock.calls[0]?.[1]).toMatchObject({ context })
  })

  test('is an alarm after 15 minutes, once, and its delivery is still taken with its context', async () => {
    const onSucceeded = vi.fn()
    const { inbox, deliver, clock, told, store } = openInbox({ ...signed, onSucceeded })
    inbox.start()
    const { url, ref } = await inbox.prepare({ modelId: 'aurora-image', context })
    await clock.advance(899_000)
    expect(told.onOrphanIntent).toEqual([])
    await clock.advance(20_000)
    expect(told.onOrphanIntent).toEqual([{ ref, modelId: 'aurora-image', context }])
    await clock.advance(7_200_000)
    expect(told.onOrphanIntent).toHaveLength(1)
    await deliver(SUCCEEDED, url)
    await settle()
    expect(onSucceeded.mock.calls[0]?.[1]).toMatchObject({ context })
    await expect(store.get(`ref:${ref}`)).resolves.toBeUndefined()
    await inbox.drain()
  })

  test('is forgotten when its address has expired', async () => {
    const { inbox, clock, store, told } = openInbox(signed)
    const { ref } = await inbox.prepare()
    await inbox.callbackUrl(undefined, context)
    for (let day = 0; day < 3; day++) {
      await clock.advance(90_000_000)
      await inbox.reconcile()
    }
    expect(told.onOrphanIntent).toEqual([{ ref, modelId: undefined, context: undefined }])
    await expect(store.list('expected', { limit: 9 })).resolves.toEqual([])
  })
})

describe('forget', () => {
  test('takes a run back that did not count: no alarm', async () => {
    const { inbox, clock, told } = openInbox(signed)
    const { ref } = await inbox.prepare()
    await inbox.forget(ref)
    await inbox.forget(ref)
    await clock.advance(1_000_000)
    await inbox.reconcile()
    expect(told.onOrphanIntent).toEqual([])
  })
})
