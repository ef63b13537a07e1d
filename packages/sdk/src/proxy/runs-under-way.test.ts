import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test, vi } from 'vitest'
import { createTestProxy, MODEL, RUN_PATH } from '../../test/test-proxy.ts'

const URL_OF_RUN = `https://app.example.com/api/modelrun${RUN_PATH}`
const COMPLETED = fixtures.runs.completed.body

interface Asked {
  user?: string
  prompt?: string
  signal?: AbortSignal
}

/** A proxy whose service ends runs when the test says so. */
function openProxy() {
  const ends: (() => void)[] = []
  const harness = createTestProxy([
    () =>
      new Promise((resolve) => ends.push(() => resolve(Response.json({ ...COMPLETED, job_id: `job_${ends.length}` })))),
  ])
  const run = ({ user = 'anna', prompt = 'x', signal }: Asked = {}) => {
    const headers = { 'x-user': user, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    const body = JSON.stringify({ input: { prompt } })
    return harness.proxy.handle(
      new Request(URL_OF_RUN, { method: 'POST', headers, body, ...(signal ? { signal } : {}) }),
    )
  }
  const sent = async (count: number) => {
    while (ends.length < count) await new Promise(setImmediate)
    await new Promise(setImmediate)
    return harness.service.received.length
  }
  const finish = () => {
    for (const end of ends) end()
  }
  return { ...harness, run, sent, finish }
}

describe('a run that is under way', () => {
  test('is joined by the same request again when its page has left: a browser sends it again by itself', async () => {
    const { run, sent, finish } = openProxy()
    const page = new AbortController()
    const first = run({ signal: page.signal })
    await sent(1)
    page.abort()
    const second = run()
    expect(await sent(1)).toBe(1)
    finish()
    const bodies = await Promise.all([first, second].map(async (response) => (await response).json()))
    expect(bodies[0]).toEqual(bodies[1])
    expect(bodies[0]).toMatchObject({ status: 'completed', model_id: MODEL })
  })

  test.each<[string, Asked, 'waits' | 'left' | 'served' | 'left in Workers']>([
    ['while its page waits', {}, 'waits'],
    ['of another user', { user: 'ben' }, 'left'],
    ['with another input', { prompt: 'y' }, 'left'],
    ['once it has a response', {}, 'served'],
    ['in Cloudflare Workers, where that would end the request', {}, 'left in Workers'],
  ])('is not joined by a request %s', async (_, asked, state) => {
    if (state === 'left in Workers') vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    const { run, sent, finish } = openProxy()
    const page = new AbortController()
    const first = run({ signal: page.signal })
    await sent(1)
    if (state !== 'waits') page.abort()
    if (state === 'served') finish()
    if (state === 'served') await first
    const second = run(asked)
    expect(await sent(2)).toBe(2)
    finish()
    await Promise.all([first, second])
  })

  test('is joined after other pages have sent the same, each as often as it has lost its page', async () => {
    const { run, sent, finish } = openProxy()
    const pages = [new AbortController(), new AbortController()]
    const all = [run({ signal: pages[0]?.signal as AbortSignal })]
    await sent(1)
    all.push(run({ signal: pages[1]?.signal as AbortSignal }), run())
    await sent(3)
    for (const page of pages) page.abort()
    all.push(run(), run())
    expect(await sent(3)).toBe(3)
    finish()
    await Promise.all(all)
  })
})
