import { describe, expect, test, vi } from 'vitest'
import { SECRET, SUCCEEDED } from '../../test/test-inbox.ts'
import { createInbox } from './inbox.ts'
import { parseWebhook } from './parse-webhook.ts'

describe('a body as large as it may be', () => {
  /** The least of a few: other processes take processor time of their own by what they leave in its caches. */
  async function processorMs(work: () => Promise<unknown>): Promise<number> {
    const times: number[] = []
    for (let n = 0; n < 7; n++) {
      const before = process.threadCpuUsage()
      await work()
      const { user, system } = process.threadCpuUsage(before)
      times.push((user + system) / 1_000)
    }
    return Math.min(...times)
  }

  test.each([
    ['zeros', '0', 120_000],
    ['texts', '""', 80_000],
    ['lists', '[]', 80_000],
    ['objects', '{}', 80_000],
  ])(
    'costs less than half a second of processor time, parsed and handled: items that are %s',
    async (_, item, count) => {
      const body = JSON.stringify(SUCCEEDED).replace(
        /"items":\[.*?\]/,
        `"items":[${Array(count).fill(item).join(',')}]`,
      )
      await expect(parseWebhook(body)).resolves.toMatchObject({ status: 'unknown', reported_status: 'succeeded' })
      const handle = async () => {
        const onUnknown = vi.fn()
        const inbox = createInbox({ secret: SECRET, onUnknown, allowedOutputHosts: ['files.example.com'] })
        const url = await inbox.callbackUrl('https://app.example.com')
        const { status } = await inbox.handle(new Request(url, { method: 'POST', body }))
        await inbox.sweep()
        await inbox.drain()
        expect([status, onUnknown.mock.calls.length]).toEqual([202, 1])
      }
      expect(await processorMs(handle)).toBeLessThan(500)
    },
  )
})
