import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { openCore, taskOf } from '../../test/test-core.ts'
import { jobsOf, openEngine, openInbox, PUBLIC_URL, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import { ModelRun } from '../client/client.ts'
import { reportRun } from './callback-runs.ts'

const { job_id } = SUCCEEDED
const signed = { secret: SECRET, publicUrl: PUBLIC_URL }
const context = { order: 7, items: ['a'] }

describe('callbackUrl', () => {
  test('takes another URL than that of the inbox, for instance of a tunnel', async () => {
    const { inbox, deliver } = openInbox(signed)
    const url = await inbox.callbackUrl('https://tunnel.example.net/x')
    expect(url).toMatch(/^https:\/\/tunnel\.example\.net\/x\?/)
    await expect(deliver(SUCCEEDED, url)).resolves.toBe(202)
  })

  test('works without `publicUrl` when it is given a URL', async () => {
    const { inbox, deliver } = openInbox({ secret: SECRET })
    await expect(deliver(SUCCEEDED, await inbox.callbackUrl('http://127.0.0.1:4020/hook'))).resolves.toBe(202)
    await expect(inbox.callbackUrl()).rejects.toThrow('does not know its URL')
  })

  test('throws without a secret', async () => {
    const { inbox } = openInbox({ client: jobsOf(() => SUCCEEDED_JOB).client })
    await expect(inbox.callbackUrl(PUBLIC_URL)).rejects.toThrow('pass `createInbox({ secret })`')
    await expect(inbox.prepare()).rejects.toThrow('pass `createInbox({ secret })`')
  })
})

describe('a run that was prepared and then expected', () => {
  test('has its context in its handler, and raises no alarm', async () => {
    const onSucceeded = vi.fn()
    const { inbox, deliver, clock, notices } = openInbox({ ...signed, onSucceeded })
    inbox.start()
    const { url, ref } = await inbox.prepare({ modelId: 'aurora-image', context })
    expect(url).not.toContain('order')
    await inbox.expect(job_id, { ref })
    await deliver(SUCCEEDED, url)
    await clock.advance(3_600_000)
    expect(onSucceeded.mock.calls).toMatchObject([[SUCCEEDED, { context, source: 'webhook' }]])
    expect(notices.onUnconfirmedRun).toEqual([])
    await inbox.drain()
  })

  test('cannot be expected as two jobs', async () => {
    const { inbox } = openInbox(signed)
    const { ref } = await inbox.prepare()
    await inbox.expect('job_1', { ref })
    await expect(inbox.expect('job_1', { ref })).resolves.toBeUndefined()
    await expect(inbox.expect('job_2', { ref })).rejects.toThrow('belongs to another job than job_2')
  })

  test('is polled at `pollInMs`, and after `expectedAfterMs` by default', async () => {
    const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
    const { inbox, clock } = openInbox({ client, expectedAfterMs: 20_000 })
    inbox.start()
    await inbox.expect('job_1', { pollInMs: 5_000 })
    await inbox.expect('job_2')
    await clock.advance(4_999)
    expect(calls).toEqual([])
    await clock.advance(1)
    expect(calls).toEqual(['job_1'])
    await clock.advance(15_000)
    expect(calls).toEqual(['job_1', 'job_2'])
    await inbox.drain()
  })

  test('may have been delivered before it was expected: it is handled once, with its context', async () => {
    const onSucceeded = vi.fn()
    const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
    const { inbox, deliver, clock } = openInbox({ ...signed, client, onSucceeded })
    inbox.start()
    const { url, ref } = await inbox.prepare({ context })
    await deliver(SUCCEEDED, url)
    await settle()
    await inbox.expect(job_id, { ref })
    await clock.advance(3_600_000)
    expect(onSucceeded.mock.calls).toMatchObject([[{ job_id }, { context }]])
    expect(calls).toEqual([job_id])
    await inbox.drain()
  })
})

const ENDS = [
  [
    { status: 'completed', output: SUCCEEDED.output, credits_used: 4 },
    { status: 'succeeded', credits_used: 4 },
  ],
  [{ status: 'failed', error: { code: 'PROVIDER_FAILURE', message: 'No.' } }, { status: 'failed' }],
] as const

test.each(ENDS)(
  'a run is handled by the end in its response %j, of a job that the service does not keep',
  async (end, event) => {
    const handled = vi.fn()
    const client = new ModelRun({
      apiKey: 'sk_test_key',
      baseUrl: 'https://api.example.com',
      fetch: async (_, { method }) =>
        method === 'POST'
          ? Response.json({ job_id, model_id: 'm', request_id: 'r', ...end })
          : Response.json({}, { status: 404 }),
    })
    const { inbox, clock, notices } = openInbox({ ...signed, client, onSucceeded: handled, onFailed: handled })
    inbox.start()
    await client.submit('m', {}, { webhook: inbox })
    await clock.advance(1_000)
    expect(handled.mock.calls).toMatchObject([[{ job_id, ...event }, { source: 'poll' }]])
    await clock.advance(3_600_000)
    expect(handled).toHaveBeenCalledOnce()
    expect(notices.onDead).toEqual([])
    await inbox.drain()
  },
)

describe('a run whose response was lost', () => {
  test('is an alarm after 15 minutes, once; its delivery still has its context', async () => {
    const onSucceeded = vi.fn()
    const { inbox, deliver, clock, notices } = openInbox({ ...signed, onSucceeded })
    inbox.start()
    const { url, ref } = await inbox.prepare({ modelId: 'aurora-image', context })
    await clock.advance(899_999)
    expect(notices.onUnconfirmedRun).toEqual([])
    await clock.advance(7_200_000)
    expect(notices.onUnconfirmedRun).toEqual([{ ref, modelId: 'aurora-image', context }])
    await deliver(SUCCEEDED, url)
    await settle()
    expect(onSucceeded.mock.calls).toMatchObject([[SUCCEEDED, { context }]])
    await inbox.drain()
  })

  test.each<[string, object, object[]]>([
    ['without a job is an alarm', { isPrepared: true, notedAt: 0 }, [{ ref: 'ref_1' }]],
    ['whose URL belongs to a job is none', { isPrepared: true, key: job_id, notedAt: 0 }, []],
    ['of a URL that was created without a run is none', { notedAt: 0, context }, []],
    ['that this version cannot read is none', { old: true }, []],
  ])('and a note %s', async (_, note, alarms) => {
    const { core, notices } = openCore()
    await reportRun(core, taskOf('ref_1', note))
    expect(notices.onUnconfirmedRun).toMatchObject(alarms)
    expect(notices.onUnconfirmedRun).toHaveLength(alarms.length)
  })

  test('keeps its context over the failed runs of the handler, also in another process', async () => {
    const shared = openEngine()
    const first = openInbox({ ...signed, ...shared, onSucceeded: () => Promise.reject(new Error('no')) })
    const { url } = await first.inbox.prepare({ context })
    await first.deliver(SUCCEEDED, url)
    await settle()
    await first.inbox.drain()
    const onSucceeded = vi.fn()
    const second = openInbox({ ...signed, ...shared, onSucceeded })
    second.inbox.start()
    await shared.clock.advance(1_000)
    expect(onSucceeded.mock.calls).toMatchObject([[SUCCEEDED, { context, attempt: 2 }]])
  })

  test('keeps its context when events of unknown status came first', async () => {
    const [onUnknown, onSucceeded] = [vi.fn(), vi.fn()]
    const { inbox, deliver } = openInbox({ ...signed, onUnknown, onSucceeded })
    const { url } = await inbox.prepare({ context })
    for (const status of ['uploading', 'checking']) await deliver({ job_id, status }, url)
    await settle()
    await deliver(SUCCEEDED, url)
    await settle()
    expect(onUnknown.mock.calls.map(([, { context }]) => context)).toEqual([context, context])
    expect(onSucceeded.mock.calls[0]?.[1]).toMatchObject({ context })
  })
})

describe('expect', () => {
  test('is repeated while the engine fails: the job is polled when its delivery does not come', async () => {
    const shared = openEngine()
    const { client, calls } = jobsOf(() => SUCCEEDED_JOB)
    const { inbox, clock } = openInbox({ ...shared, client })
    shared.engine.breakDown('before')
    await expect(inbox.expect(job_id, { pollInMs: 1_000, context })).resolves.toBeUndefined()
    await clock.advance(20_000)
    shared.engine.repair()
    inbox.start()
    await clock.advance(20_000)
    expect(calls).toEqual([job_id])
    await inbox.drain()
  })

  test('resolves after 2 s when the engine does not respond, and warns after a minute', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const shared = openEngine()
    const { inbox, clock } = openInbox(shared)
    shared.engine.breakDown('hang')
    const startedAt = clock.now()
    await clock.run(inbox.expect(job_id))
    expect(clock.now() - startedAt).toBe(2_000)
    await clock.advance(70_000)
    const line = `could not note that the job ${job_id} is expected.*The engine of the inbox did not respond within 2000 ms`
    expect(warn.mock.calls.join()).toMatch(new RegExp(line, 's'))
  })
})

test('forget takes back a run that did not count: no alarm', async () => {
  const { inbox, clock, notices } = openInbox(signed)
  inbox.start()
  const { ref } = await inbox.prepare()
  await inbox.forget(ref)
  await inbox.forget(ref)
  await clock.advance(1_000_000)
  expect(notices.onUnconfirmedRun).toEqual([])
  await inbox.drain()
})
