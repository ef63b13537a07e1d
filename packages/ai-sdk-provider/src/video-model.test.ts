import {
  experimental_generateVideo as generateVideo,
  experimental_getVideoStatus as getVideoStatus,
  experimental_startVideo as startVideo,
} from 'ai'
import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { describe, expect, it } from 'vitest'
import { type Setup, setup, untilCharged } from '../test/harness.ts'
import type { ModelRunProviderOptions } from './options.ts'
import { createModelRun } from './provider.ts'

const ID = 'lumen/aurora-video'
const PRICE = 60

/** The same service, seen by another process. */
function otherProcess({ server }: Setup, options: ModelRunProviderOptions = {}) {
  const client = new ModelRun(server.clientOptions())
  return createModelRun({ client, ...options })
}

function sent(value: unknown) {
  return JSON.parse(JSON.stringify(value))
}

describe('startVideo and getVideoStatus', () => {
  it('starts in one process and gives the video in another', async () => {
    const one = setup()
    const { operation, providerMetadata } = await startVideo({ model: one.modelrun.video(ID), prompt: 'waves' })
    expect(providerMetadata).toEqual({ modelrun: { jobs: [{ jobId: expect.stringMatching(/^job_/) }] } })
    const model = otherProcess(one).video(ID)
    expect(await getVideoStatus(model, { operation: sent(operation) })).toMatchObject({
      status: 'pending',
      providerMetadata: { modelrun: { jobs: [{ jobId: expect.stringMatching(/^job_/), status: 'queued' }] } },
    })
    await untilCharged(one)
    expect(await getVideoStatus(model, { operation: sent(operation) })).toMatchObject({
      status: 'completed',
      videos: [{ type: 'binary', mediaType: 'video/mp4', data: expect.any(Uint8Array) }],
    })
    const urls = otherProcess(one, { videoFiles: 'url' }).video(ID)
    expect(await getVideoStatus(urls, { operation: sent(operation) })).toMatchObject({
      videos: [{ type: 'url', url: expect.stringMatching(/\.mp4$/) }],
    })
    expect([one.posts(), one.charged()]).toEqual([1, PRICE])
  })

  it('says why there is no video', async () => {
    const one = setup()
    one.server.script(ID, [{ result: 'failed' }])
    const { operation } = await startVideo({ model: one.modelrun.video(ID), prompt: 'waves' })
    await untilCharged(one)
    const status = await getVideoStatus(otherProcess(one).video(ID), { operation: sent(operation) })
    expect(status).toMatchObject({ status: 'error', error: expect.stringMatching(/^The job job_\w+ is failed: /) })
  })

  it.each([
    ['startVideo', undefined],
    ['generateVideo with poll', { intervalMs: 10 }],
  ])('gives the videos that were paid when one of three failed: %s', async (title, poll) => {
    const one = setup()
    one.server.script(ID, [{ result: 'failed' }])
    const call = { model: one.modelrun.video(ID), prompt: 'waves', n: 3 }
    let result: { videos: readonly unknown[]; warnings: readonly unknown[] }
    if (title === 'startVideo') {
      const { operation } = await startVideo(call)
      await untilCharged(one)
      const status = await getVideoStatus(call.model, { operation })
      if (status.status !== 'completed') throw new Error(status.status)
      result = status
    } else result = await generateVideo({ ...call, ...(poll && { poll }) })
    expect([result.videos.length, one.posts()]).toEqual([2, 3])
    expect(result.warnings).toMatchObject([
      { type: 'other', message: expect.stringContaining('1 of 3 files are missing') },
    ])
  })

  it('cancels what was started when it is aborted while another run is sent', async () => {
    const one = setup({}, { clock: 'system' })
    one.server.faults.add({ kind: 'hang', route: 'runModel', when: 'before', times: 1 })
    const controller = new AbortController()
    const call = startVideo({ model: one.modelrun.video(ID), prompt: 'waves', n: 2, abortSignal: controller.signal })
    await expect.poll(() => one.server.journal.text()).toMatch(/POST .*202/)
    controller.abort()
    const jobIds = [expect.stringMatching(/^job_/)]
    await expect(call).rejects.toMatchObject({ name: 'AbortError', jobIds, data: { jobIds } })
    await expect.poll(() => one.server.journal.text()).toMatch(/DELETE .*200/)
    expect(one.charged()).toBe(0)
  })

  it('end at the deadline though the run, a read or the batch stalls', async () => {
    const one = setup({ deadlineMs: 20_000 })
    one.server.faults.add({ kind: 'hang', route: 'runModel', times: 1 })
    const start = () => startVideo({ model: one.modelrun.video(ID), prompt: 'waves' })
    const late = (data: object) => ({ isRetryable: false, data: { code: 'deadline_exceeded', ...data } })
    await expect(start()).rejects.toMatchObject(late({ submission: 'unknown' }))
    const { operation } = await start()
    const other = setup({ deadlineMs: 50 }, { clock: 'system' })
    other.server.faults.add({ kind: 'hang', route: 'getJob' })
    const jobIds = [expect.stringMatching(/^job_/)]
    await expect(getVideoStatus(other.modelrun.video(ID), { operation })).rejects.toMatchObject(late({ jobIds }))
    const read = () => new Promise<never>(() => {})
    const durable = { send: read, read, cancel: read, runEach: async function* () {} }
    const batch = createModelRun({ durable, client: other.client, deadlineMs: 50 }).video(ID)
    await expect(getVideoStatus(batch, { operation: { keys: ['a'] } })).rejects.toMatchObject(late({}))
  })

  it.each([[null], ['job_1'], [{}], [{ jobs: 'job_1' }]])(
    'rejects an operation of another provider: %j',
    async (operation) => {
      const status = getVideoStatus(setup().modelrun.video(ID), { operation })
      await expect(status).rejects.toMatchObject({ name: 'AI_InvalidArgumentError', argument: 'operation' })
    },
  )
})

describe('a video by webhook', () => {
  it('is delivered to the `webhookUrl` of `startVideo`', async () => {
    const one = setup()
    one.server.webhooks.deliver(async () => new Response())
    await startVideo({ model: one.modelrun.video(ID), prompt: 'waves', webhookUrl: 'https://app.example.com/hook' })
    expect(await one.server.webhooks.next()).toMatchObject({ url: 'https://app.example.com/hook' })
  })

  it('is polled and paid once with the option `webhook` of `generateVideo`', async () => {
    const one = setup()
    const webhook = async () => ({ url: 'https://app.example.com/hook', received: new Promise<never>(() => {}) })
    const call = { model: one.modelrun.video(ID), prompt: 'waves', poll: { intervalMs: 50 }, webhook }
    const { videos, warnings } = await generateVideo(call)
    expect([videos.length, one.posts(), one.charged()]).toEqual([1, 1, PRICE])
    expect(warnings).toMatchObject([{ type: 'unsupported', feature: 'webhook' }])
  })

  it('goes through the inbox of the provider, whose handler gets its context in any process', async () => {
    const handled: unknown[] = []
    const secret = 'a secret of at least thirty-two bytes'
    const publicUrl = 'https://app.example.com/api/inbox'
    const one = setup()
    const inbox = createInbox({
      client: one.client,
      secret,
      publicUrl,
      onSucceeded: ({ output }, { context, source }) => {
        handled.push({ context, source, type: output.type })
      },
    })
    one.server.webhooks.deliver((request) => inbox.handle(request))
    inbox.start()
    const modelrun = createModelRun({ client: one.client, webhook: inbox })
    const providerOptions = { modelrun: { webhookContext: { order: 17 } } }
    await startVideo({ model: modelrun.video(ID), prompt: 'waves', providerOptions })
    await untilCharged(one)
    await expect.poll(() => handled).toEqual([{ context: { order: 17 }, source: 'webhook', type: 'video' }])
    await inbox.drain()
    expect(one.posts()).toBe(1)
  })
})
