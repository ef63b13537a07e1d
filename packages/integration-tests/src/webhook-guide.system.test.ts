import { readFile } from 'node:fs/promises'
import { NotFoundError } from 'modelrun'
import { createInbox, type InboxOptions, JobLostError, NonRetriableError } from 'modelrun/webhooks'
import { deliver, succeededEvent } from 'modelrun/webhooks/testing'
import { expect, it, vi } from 'vitest'
import { createRecordingEngine } from './recording-engine.ts'

const pages = ['webhooks.md', 'webhooks-operations.md'].map(
  (page) => new URL(`../../../docs/guides/${page}`, import.meta.url),
)
const guide = (await Promise.all(pages.map((page) => readFile(page, 'utf8')))).join('\n')

/** Arrows that need another process: `durable/dying-processes.nightly.test.ts` kills some. */
const OF_DEAD_PROCESSES = ['running --> running']

const jobOf = (job_id: string) => {
  const { output } = succeededEvent({ job_id })
  return { status: 'succeeded' as const, output }
}

it('draws the states of a job and the ways between them as they are', async () => {
  const [, image = ''] = /```mermaid\n(.*?)```/s.exec(guide) ?? []
  const drawn = [...image.matchAll(/^ {2}(\S+ --> [^:]+): .+$/gm)].map(([, arrow]) => arrow)

  const { engine, recorder } = createRecordingEngine()
  const { arrows } = recorder
  const ended = new Set<string>()
  const broken = new Set(['dead'])
  const client = {
    jobs: {
      get: async (id: string) => {
        if (id.startsWith('missing')) throw new NotFoundError({ message: 'There is no such job.', status: 404 })
        return ended.has(id) ? jobOf(id) : { status: 'processing' as const }
      },
    },
  }
  const options: InboxOptions = {
    engine,
    client,
    expectedAfterMs: 20,
    keepDoneMs: 1,
    keepDeadMs: 1,
    onHandlerError: () => {},
    onSucceeded: ({ job_id }) => {
      if (broken.has(job_id)) throw new NonRetriableError('broken', 'It is broken.')
    },
  }
  const inbox = createInbox(options)
  const post = (job_id: string) => deliver(inbox.handle, { events: succeededEvent({ job_id }) })
  const until = (job: string, state: string) =>
    vi.waitFor(() => expect(recorder.stateOf(job)).toBe(state), { timeout: 100_000, interval: 5 })

  // The service knows the first, runs the second, and lacks the third, whose delivery is dropped.
  ended.add('delivered')
  await Promise.all([post('delivered'), post('early'), post('missing')])
  await vi.waitFor(() => expect(arrows).toContain('running --> due'), { timeout: 100_000 })
  ended.add('early')
  await Promise.all([until('delivered', 'done'), until('early', 'done'), until('missing', 'done')])

  // Expected, and delivered.
  ended.add('expected')
  await inbox.expect('expected', { pollInMs: 60_000 })
  await post('expected')
  await until('expected', 'done')

  // Expected, and polled while it runs.
  await inbox.expect('polled', { pollInMs: 0 })
  await vi.waitFor(() => expect(arrows).toContain('running --> expected'), { timeout: 100_000 })

  ended.add('dead')
  await inbox.expect('dead', { pollInMs: 0 })
  await until('dead', 'dead')
  broken.clear()
  await inbox.deadLetters.replay('dead')
  await until('dead', 'done')

  await inbox.expect('missing-expected', { pollInMs: 0 })
  await expect(inbox.waitFor('missing-expected')).rejects.toBeInstanceOf(JobLostError)
  await until('missing-expected', 'lost')
  await inbox.deadLetters.replay('missing-expected')
  await vi.waitFor(() => expect(arrows).toContain('lost --> expected'), { timeout: 100_000 })
  await until('missing-expected', 'lost')
  await inbox.drain()

  // A job that was lost is delivered after all, to an inbox without a client.
  const secret = 'a secret of thirty-two bytes, or more'
  const believing = createInbox({ engine, secret, publicUrl: 'https://app.example.com/', onSucceeded: () => {} })
  const url = await believing.callbackUrl()
  await deliver(believing.handle, { url, events: succeededEvent({ job_id: 'missing-expected' }) })
  await until('missing-expected', 'done')
  await believing.drain()

  broken.add('dead-at-last')
  ended.add('dead-at-last')
  const cleaning = createInbox(options)
  await cleaning.expect('dead-at-last', { pollInMs: 0 })
  await cleaning.expect('missing-at-last', { pollInMs: 0 })
  for (const state of ['done', 'dead', 'lost']) {
    await vi.waitFor(
      async () => {
        await cleaning.sweep({ forMs: 2_000 })
        expect(arrows).toContain(`${state} --> [*]`)
      },
      { timeout: 100_000 },
    )
  }
  await cleaning.drain()
  expect([...arrows, ...OF_DEAD_PROCESSES].sort()).toEqual(drawn.sort())
})
