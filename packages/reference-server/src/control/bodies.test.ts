import fc from 'fast-check'
import { expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'
import { CONTROL_ROUTES } from './routes.ts'

/** Members that some call takes, so that bodies come past the first check. */
const NAMES = [
  ...['key', 'model', 'outcomes', 'kind', 'route', 'when', 'input', 'advance_ms', 'scale', 'permissions', 'credits'],
  ...['allow_ips', 'output', 'code', 'message', 'deliveries', 'receiver', 'job_id', 'webhook_url', 'format'],
]
const KNOWN = [
  'aurora-image',
  'reset',
  'runModel',
  'failed',
  'after',
  'http://127.0.0.1:1/',
  '/',
  '10.0.0.0/8',
  '__proto__',
  '\ud800',
  'GET //',
  '* /%',
]
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(...KNOWN),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant([{ result: 'failed', when: { input: { a: [null] } }, webhook: {} }]),
)
const body = fc.oneof(value, fc.dictionary(fc.constantFrom(...NAMES), value), fc.record({ model: value }))

it.each(CONTROL_ROUTES.filter(({ method }) => method === 'POST').map((route) => [route.name, route]))(
  'POST %s is never a 500, whatever JSON it gets',
  async (_, { name, operationId }) => {
    const server = createReferenceServer({ clock: 'manual', deliver: () => new Response() })
    server.transport.set({ isShown: true })
    const caller = apiCaller(server)
    // These two wait in real time.
    const limit = operationId === 'nextDelivery' ? { timeout_ms: 0 } : {}
    const examples = [
      { model: '\ud800' },
      { kind: 'reset', route: 'getJob' },
      { kind: 'response', headers: { x: '\ud800' } },
    ].map((one): [unknown] => [one])
    const runs = { numRuns: operationId === 'sendRun' ? 30 : 100, examples }
    await fc.assert(
      fc.asyncProperty(body, async (json) => {
        const { job_id } = (await caller.run('aurora-image', { sync: false })).body
        const path = `/_reference/${name.replace('{id}', String(job_id))}`
        const sent = typeof json === 'object' && !Array.isArray(json) ? { ...json, ...limit } : json
        const { status, text } = await caller.post(path, sent)
        expect(status, text).toBeLessThan(500)
        // What was set must not break what comes later. A fault for every route is not that: it goes first.
        expect((await caller.delete('/_reference/faults')).status).toBeLessThan(300)
        expect((await caller.get('/_reference/activity')).status).toBe(200)
        expect((await caller.get('/v1/models')).status).toBeOneOf([200, 401, 403])
        server.reset()
      }),
      runs,
    )
  },
)
