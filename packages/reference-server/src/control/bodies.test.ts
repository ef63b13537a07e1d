import fc from 'fast-check'
import { expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'
import { CONTROL_ROUTES } from './routes.ts'

/** Members that some call takes, so that bodies come past the first check. */
const NAMES = [
  ...['key', 'model', 'outcomes', 'kind', 'route', 'when', 'input', 'advance_ms', 'scale', 'permissions', 'credits'],
  ...['allow_ips', 'output', 'code', 'message', 'deliveries', 'receiver', 'job_id', 'again', 'webhook_url', 'format'],
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
      { kind: 'reset', route: 'GET //' },
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
        // What was set must not break what comes later.
        expect((await caller.get('/_reference/activity')).status).toBe(200)
        expect((await caller.get('/v1/models')).status).toBeOneOf([200, 401, 403])
        server.reset()
      }),
      runs,
    )
  },
)

/** The paths of all values in a value. */
function placesIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, member]) => placesIn(member, [...path, name]))]
}

it('a snapshot with any odd value in it is rejected, or restored to a server that works', async () => {
  const server = createReferenceServer({ clock: 'manual', deliver: () => new Response() })
  const caller = apiCaller(server)
  await caller.run('aurora-image', { webhook_url: 'https://app.example/hook' })
  await caller.run('aurora-image', { sync: false })
  await server.clock.advance(5_000)
  await caller.run('aurora-image', { webhook_url: 'https://app.example/hook' })
  server.faults.add({ kind: 'rate-limit', route: 'getJob', when: { input: { prompt: 'never' } } })
  server.script('aurora-image', [{ result: 'failed', when: { input: { prompt: 'never' } } }])
  const snapshot = server.snapshot()
  const places = placesIn(snapshot).filter((path) => path.length > 0)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...places), value, async (path, odd) => {
      const changed = structuredClone(snapshot)
      const [name = '', ...above] = path.toReversed()
      const parent = above.reduceRight<Record<string, unknown>>((at, step) => at[step] as never, changed as never)
      parent[name] = odd
      const { status, text } = await caller.post('/_reference/restore', changed)
      expect(status, text).toBeLessThan(500)
      const { apiKey } = server
      const headers = { authorization: `Bearer ${apiKey}` }
      const response = await server.fetch('/v1/models', { headers })
      expect(response.status, `${path}: ${await response.text()}`).toBeLessThan(500)
      expect((await caller.get('/_reference/activity')).status).toBe(200)
    }),
    { numRuns: 300 },
  )
})
