import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { SUCCEEDED } from '../../test/test-inbox.ts'
import { createSubscribers } from './subscribers.ts'

const eventOf = (job_id: string, filler = '') => ({
  ...SUCCEEDED,
  job_id,
  output: { type: 'text', items: [{ type: 'text', url: filler }] },
})

/** Whether a result is remembered: then a wait for it ends. */
async function isRemembered(subscribers: ReturnType<typeof createSubscribers>, jobId: string): Promise<boolean> {
  const done = vi.fn()
  const { event, stop } = subscribers.wait(jobId)
  void event.then(done)
  await settle()
  stop()
  return done.mock.calls.length > 0
}

describe('results are remembered for callers that ask later', () => {
  test('the latest 1,000', async () => {
    const subscribers = createSubscribers()
    for (let n = 0; n < 1_001; n++) subscribers.ended(eventOf(`job_${n}`))
    expect(await isRemembered(subscribers, 'job_0')).toBe(false)
    expect(await isRemembered(subscribers, 'job_1')).toBe(true)
  })

  test('up to 8 MB of JSON, the latest', async () => {
    const subscribers = createSubscribers()
    for (let n = 0; n < 50; n++) subscribers.ended(eventOf(`job_${n}`, 'x'.repeat(200_000)))
    const remembered = []
    for (let n = 0; n < 50; n++) if (await isRemembered(subscribers, `job_${n}`)) remembered.push(n)
    expect(remembered).toEqual(Array.from({ length: 39 }, (_, index) => index + 11))
  })

  test('each one once: a result that is confirmed and then handled takes its room once', async () => {
    const subscribers = createSubscribers()
    for (let n = 0; n < 39; n++) {
      for (let time = 0; time < 5; time++) subscribers.confirmed(eventOf(`job_${n}`, 'x'.repeat(200_000)))
      subscribers.ended(eventOf(`job_${n}`, 'x'.repeat(200_000)))
    }
    expect(await isRemembered(subscribers, 'job_0')).toBe(true)
  })
})

test('a wait ends with the end of its job alone, and `close` ends the others', async () => {
  const subscribers = createSubscribers()
  const [one, other] = [subscribers.wait('job_1'), subscribers.wait('job_2')]
  const closed = expect(other.event).rejects.toThrow('over')
  expect(subscribers.confirmed(eventOf('job_1'))).toBe(true)
  subscribers.ended(eventOf('job_1'))
  await expect(one.event).resolves.toMatchObject({ job_id: 'job_1' })
  subscribers.close(new Error('over'))
  await closed
  expect(subscribers.confirmed(eventOf('job_3'))).toBe(false)
})
