import { describe, expect, it } from 'vitest'
import { ENGINE_STORES } from './engine-stores.ts'
import { PUBLIC_URL, post } from './inbox-harness.ts'
import { useInboxHarness } from './use-store.ts'

const WAIT = { interval: 20 }

describe.each(ENGINE_STORES)('inboxes on $title', (engineStore) => {
  const { isMissing } = engineStore
  const harness = useInboxHarness(engineStore)

  it.skipIf(isMissing)('a result is handled once, though both get it at once, and again later', async () => {
    const [one, two] = [await harness().open(), await harness().open()]
    const url = await one.inbox.callbackUrl()
    const result = harness().service.finish('job_1')
    const sent = Array.from({ length: 20 }, (_, index) => post([one, two][index % 2]?.inbox ?? one.inbox, url, result))
    expect(new Set(await Promise.all(sent))).toEqual(new Set([202]))
    await one.inbox.waitFor('job_1')
    expect(await post(two.inbox, url, result)).toBe(202)
    await Promise.all([one.inbox.sweep(), two.inbox.sweep()])
    expect([...one.calls, ...two.calls]).toMatchObject([
      [
        { job_id: 'job_1', status: 'succeeded', credits_used: 6 },
        { idempotencyKey: 'job_1', attempt: 1 },
      ],
    ])
  })

  it.skipIf(isMissing)(
    'what one prepared, the other gets with its result; the url belongs to the job from then on',
    async () => {
      const [one, two] = [await harness().open(), await harness().open()]
      const { url } = await one.inbox.prepare({ context: { order: 7 } })
      // Before the response to the run, so that nothing is noted of the job.
      expect(await post(two.inbox, url, harness().service.finish('job_1'))).toBe(202)
      await two.inbox.waitFor('job_1')
      expect(two.calls).toMatchObject([[{ job_id: 'job_1' }, { context: { order: 7 } }]])
      expect(await post(one.inbox, url, harness().service.finish('job_2'))).toBe(401)
    },
  )

  it.skipIf(isMissing)(
    'a result whose delivery did not come is polled by the other, and waited for in a third',
    async () => {
      const [one, two, three] = [await harness().open(), await harness().open(), await harness().open()]
      const { ref } = await one.inbox.prepare({ context: { order: 9 } })
      harness().service.finish('job_1')
      await one.inbox.expect('job_1', { ref, pollInMs: 0 })
      const waiting = three.inbox.waitFor('job_1')
      two.inbox.start()
      await expect(waiting).resolves.toMatchObject({ job_id: 'job_1', status: 'succeeded' })
      expect(two.calls).toMatchObject([[{ job_id: 'job_1' }, { source: 'poll', context: { order: 9 } }]])
    },
  )

  it.skipIf(isMissing)('a dead letter of one is listed and run again by the other', async () => {
    const one = await harness().open({
      maxAttempts: 2,
      onSucceeded: () => {
        throw new Error('The disk is full.')
      },
    })
    const { url, ref } = await one.inbox.prepare({ context: { order: 10 } })
    await one.inbox.expect('job_1', { ref })
    await post(one.inbox, url, harness().service.finish('job_1'))
    const two = await harness().open()
    await expect
      .poll(() => two.inbox.deadLetters.list(), WAIT)
      .toMatchObject([{ jobId: 'job_1', context: { order: 10 }, code: 'error', error: 'The disk is full.' }])
    await one.inbox.drain()
    expect(await two.inbox.deadLetters.replay('job_1')).toBe(true)
    two.inbox.start()
    await expect.poll(() => two.calls, WAIT).toMatchObject([[{ job_id: 'job_1' }, { context: { order: 10 } }]])
    await expect.poll(() => two.inbox.deadLetters.list(), WAIT).toEqual([])
  })

  it.skipIf(isMissing)('a result that is expected does not wait for deliveries that anyone can invent', async () => {
    const { inbox, calls } = await harness().open({ secret: undefined, publicUrl: undefined })
    inbox.start()
    await inbox.expect('job_1')
    const inventions = Array.from({ length: 100 }, (_, index) => ({
      ...harness().service.resultOf('job_1'),
      job_id: `invented_${index}`,
    }))
    const holds = inventions.map(({ job_id }) => harness().service.hold(job_id))
    for (const event of inventions) expect(await post(inbox, PUBLIC_URL, event)).toBe(202)
    await Promise.race(holds.map(({ asked }) => asked))
    expect(await post(inbox, PUBLIC_URL, harness().service.finish('job_1'))).toBe(202)
    await expect.poll(() => calls, WAIT).toMatchObject([[{ job_id: 'job_1' }, {}]])
    for (const { release } of holds) release()
  })
})
