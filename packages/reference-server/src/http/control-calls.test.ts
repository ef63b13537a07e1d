import { describe, expect, it } from 'vitest'
import { createReferenceServer } from '../reference-server.ts'
import { apiCaller } from '../test-kit/api-caller.ts'

const MODEL = 'aurora-image'

interface Call {
  call: string
  takes?: string
  gives: string
  note?: string
}

/** A server on which every call of the control API has something to show. */
async function setUp() {
  const server = createReferenceServer({ clock: 'manual', deliver: async () => new Response() })
  const caller = apiCaller(server)
  const { body } = await caller.run(MODEL, { webhook_url: 'https://receiver.test/' })
  await server.clock.advance(60_000)
  const running = (await caller.run(MODEL, { sync: false })).body
  await caller.get('/v1/modles')
  const { calls } = (await caller.get('/_reference')).body as unknown as { calls: Call[] } // checked below
  return { server, caller, jobId: String(body.job_id), runningId: String(running.job_id), calls }
}

/** What each POST that needs a body is sent. */
function bodyOf(path: string, key: string): object {
  const bodies: Readonly<Record<string, object>> = {
    '/_reference/keys/limit': { key, allow_ips: ['127.0.0.1'] },
    '/_reference/keys/rotate': { key },
    '/_reference/keys/revoke': { key },
    '/_reference/scripts': { model: MODEL, outcomes: [{ result: 'hang', after_ms: 1 }] },
    '/_reference/clock': { advance_ms: 10_000 },
    '/_reference/faults': { kind: 'unavailable', retry_after: 1 },
    '/_reference/webhooks': { deliveries: 2, delay_ms: 5 },
  }
  return bodies[path] ?? {}
}

/** The names of all members of a value, at any depth. */
function membersOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return [...own, ...Object.values(value).flatMap(membersOf)]
}

/** The members that a text such as `{ a, b?, c: [{ d }] }` shows at its first level. */
function shownMembers(gives: string): { name: string; isOptional: boolean }[] {
  const flat = gives.slice(1, -1).replace(/:\s*(\[\{[^\]]*\}\]|\{[^}]*\})/g, '')
  return flat.split(',').map((text) => ({ name: text.trim().replace('?', ''), isOptional: text.trim().endsWith('?') }))
}

const { calls } = await setUp()
const LISTED = calls.filter(({ call, gives }) => gives.startsWith('{') && !call.endsWith('/restore'))

describe('the control API', () => {
  it('lists its calls at GET /_reference, with what they take and give', () => {
    expect(calls.length).toBeGreaterThan(20)
    for (const { call, gives } of calls) {
      expect(call).toMatch(/^(GET|POST|DELETE) \/_reference\/[a-z/{}_]+$/)
      expect(gives).not.toBe('')
    }
  })

  it.each(LISTED)('gives what the list says, in snake_case: $call', async ({ call, gives }) => {
    const { server, caller, jobId, runningId } = await setUp()
    const [method = '', path = ''] = call.split(' ')
    const filled = path.replace(/\{\w+\}/, /(complete|fail)$/.test(path) ? runningId : jobId)
    const body = JSON.stringify(bodyOf(path, server.mintKey().key))
    const response = await caller.call(method, filled, method === 'POST' ? { body } : {})
    expect(response.status).toBe(200)
    for (const name of membersOf(response.body)) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
    const shown = shownMembers(gives)
    const needed = shown.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
    expect(Object.keys(response.body)).toEqual(expect.arrayContaining(needed))
    expect(shown.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(response.body)))
  })

  it('takes a POST without a body, a content type or both, as curl sends it', async () => {
    const { server, caller, runningId } = await setUp()
    const post = (path: string, init: RequestInit = {}) => server.fetch(path, { method: 'POST', ...init })
    expect((await post(`/_reference/jobs/${runningId}/complete`)).status).toBe(200)
    expect(await caller.status(runningId)).toBe('succeeded')
    expect(await (await post('/_reference/keys')).json()).toEqual({ key: expect.stringMatching(/^sk_test_/) })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const moved = await post('/_reference/clock', { headers, body: '{"advance_ms":1000}' })
    expect(await moved.json()).toMatchObject({ now_ms: server.clock.now() })
    expect(await (await post('/_reference/reset')).json()).toEqual({ reset: 'all' })
    expect(await caller.status(runningId)).toBeUndefined()
    const missing = await (await post('/_reference/clock')).json()
    expect(missing.error.message).toBe('The body is not right. /advance_ms is missing; it must be a number.')
  })
})
