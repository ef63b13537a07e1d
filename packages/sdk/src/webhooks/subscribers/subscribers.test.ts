import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../testing/manual-clock.ts'
import { SUCCEEDED } from '../../testing/test-inbox.ts'
import { createSubscribers } from './subscribers.ts'

const eventOf = (job_id: string, filler = '') => ({
  ...SUCCEEDED,
  job_id,
  output: { type: 'text', items: [{ type: 'text', url: filler }] },
})

/** Whether a result is remembered: then a wait for it ends. */
async function isRemembered(followers: ReturnType<typeof createSubscribers>, jobId: string): Promise<boolean> {
  const done = vi.fn()
  const { event, stop } = followers.wait(jobId)
  void event.then(done)
  await settle()
  stop()
  return done.mock.calls.length > 0
}

describe('results are remembered for callers that ask later', () => {
  test('the latest 1,000', async () => {
    const followers = createSubscribers()
    for (let n = 0; n < 1_001; n++) followers.ended(eventOf(`job_${n}`))
    expect(await isRemembered(followers, 'job_0')).toBe(false)
    expect(await isRemembered(followers, 'job_1')).toBe(true)
  })

  test('up to 8 MB of JSON, the latest', async () => {
    const followers = createSubscribers()
    for (let n = 0; n < 50; n++) followers.ended(eventOf(`job_${n}`, 'x'.repeat(200_000)))
    const remembered = []
    for (let n = 0; n < 50; n++) if (await isRemembered(followers, `job_${n}`)) remembered.push(n)
    expect(remembered).toEqual(Array.from({ length: 39 }, (_, index) => index + 11))
  })

  test('each one once: a result that is confirmed and then handled takes its room once', async () => {
    const followers = createSubscribers()
    for (let n = 0; n < 39; n++) {
      for (let time = 0; time < 5; time++) followers.confirmed(eventOf(`job_${n}`, 'x'.repeat(200_000)))
      followers.ended(eventOf(`job_${n}`, 'x'.repeat(200_000)))
    }
    expect(await isRemembered(followers, 'job_0')).toBe(true)
  })
})

test('a wait ends with the end of its job alone, and `close` ends the others', async () => {
  const followers = createSubscribers()
  const [one, other] = [followers.wait('job_1'), followers.wait('job_2')]
  const closed = expect(other.event).rejects.toThrow('over')
  expect(followers.confirmed(eventOf('job_1'))).toBe(true)
  followers.ended(eventOf('job_1'))
  await expect(one.event).resolves.toMatchObject({ job_id: 'job_1' })
  followers.close(new Error('over'))
  await closed
  expect(followers.confirmed(eventOf('job_3'))).toBe(false)
})
