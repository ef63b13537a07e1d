// biome-ignore lint/style/noRestrictedImports: the public name of ajv for the dialect of OpenAPI 3.1.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { createCheckedServer } from './checked-server.ts'

interface Operation {
  operationId: string
  parameters?: { name: string; in: string }[]
  requestBody?: object
}

/** A server on which every call of the control API has something to show. */
async function setUp() {
  const server = createCheckedServer({ clock: 'manual', deliver: async () => new Response() })
  const run = async (body: object) => {
    const response = await server.fetch('/v1/models/aurora-image/run', {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: { prompt: 'a fox' }, ...body }),
    })
    return String((await response.json()).job_id)
  }
  const finished = await run({ webhook_url: 'https://receiver.test/' })
  await server.clock.advance(60_000)
  server.script('aurora-image', [{ result: 'failed' }])
  await run({ webhook_url: 'https://receiver.test/' })
  await server.clock.advance(60_000)
  const unfinished = await run({ sync: false, webhook_url: 'https://receiver.test/' })
  await server.fetch('/v1/modles')
  server.faults.add({ kind: 'reset', times: 3 })
  server.script('lumen/aurora-video', [{ result: 'hang' }])
  return { server, finished, unfinished, key: server.createKey({ allowIps: ['127.0.0.1'] }).key }
}

type Setup = Awaited<ReturnType<typeof setUp>>

const BODIES: Readonly<Record<string, (setup: Setup) => object | Promise<object>>> = {
  createKey: () => ({ live: true, permissions: ['models:read'], credits: 5, allow_ips: ['10.0.0.0/8'] }),
  limitKey: ({ key }) => ({ key, allow_ips: ['::/0'], credits: 3 }),
  revokeKey: ({ key }) => ({ key }),
  addScript: ({ key }) => ({ key, model: 'aurora-image', outcomes: [{ result: 'hang', after_ms: 1 }] }),
  advanceClock: () => ({ advance_ms: 60_000 }),
  addFault: () => ({ kind: 'unavailable', route: 'getJob', retry_after: 1 }),
  reset: ({ key }) => ({ key }),
  completeJob: () => ({ output: { type: 'image', items: [{ type: 'image', url: 'https://files.test/1.png' }] } }),
  failJob: () => ({ code: 'PROVIDER_FAILURE', message: 'out of paint' }),
  setWebhooks: () => ({ deliveries: 2, gap_ms: 10 }),
  nextDelivery: ({ finished }) => ({ job_id: finished, timeout_ms: 1_000 }),
  sendRun: () => ({ model: 'aurora-image', input: { prompt: 'a red fox' }, sync: false }),
}

/** The document, in which each response has the members that are named and no others. */
const document = JSON.parse(await (await (await setUp()).server.fetch('/_reference/openapi.json')).text(), (_, part) =>
  part?.type === 'object' && part.properties ? { additionalProperties: false, ...part } : part,
)
const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
ajv.addVocabulary(Object.keys(document))
ajv.addSchema(document, 'control')

const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
)

/** What is wrong with a value, by a schema of the document. */
function problems(name: string, value: unknown): string[] {
  const validate = ajv.getSchema(`control#/components/schemas/${name}`)
  if (validate === undefined) return [`The document has no schema ${name}.`]
  return validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

function schemaName(holder: unknown): string {
  return String(Reflect.get(Object(holder), 'content')['application/json'].schema.$ref).replace(/.*\//, '')
}

it.each(operations)('$operationId takes and gives what the document says', async (operation) => {
  const setup = await setUp()
  const { operationId, path, method, requestBody } = operation
  const id = /complete|fail$/.test(path) ? setup.unfinished : setup.finished
  const body = await BODIES[operationId]?.(setup)
  expect(body !== undefined).toBe(requestBody !== undefined)
  if (body !== undefined) expect(problems(schemaName(requestBody), body)).toEqual([])
  const response = await setup.server.fetch(path.replace(/\{\w+\}/, id), {
    method: method.toUpperCase(),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const shown = await response.json()
  expect([response.status, shown.error]).toEqual([200, undefined])
  expect(problems(schemaName(Reflect.get(operation, 'responses')[200]), shown)).toEqual([])
})

it.each(operations.filter(({ requestBody }) => requestBody !== undefined))(
  '$operationId rejects a member that the document does not name',
  async ({ operationId, path, method, requestBody }) => {
    const setup = await setUp()
    const body = { ...(await BODIES[operationId]?.(setup)), nope: 1 }
    expect(problems(schemaName(requestBody), body)).toEqual([' must NOT have additional properties'])
    const target = path.replace(/\{\w+\}/, setup.unfinished)
    const response = await setup.server.fetch(target, { method: method.toUpperCase(), body: JSON.stringify(body) })
    expect([response.status, problems('ErrorBody', await response.json())]).toEqual([400, []])
  },
)

it('every member is in snake_case and has a description', () => {
  const members = Object.values(document.components.schemas).flatMap((schema) => membersOf(schema))
  expect(members.length).toBeGreaterThan(100)
  for (const [name, member] of members) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(member).toHaveProperty('description', expect.stringMatching(/^[A-Z].*\.$/))
  }
  for (const part of operations.flatMap(({ parameters = [] }) => parameters)) expect(part).toHaveProperty('description')
  for (const operation of operations) expect(operation).toHaveProperty('summary', expect.stringMatching(/^[A-Z]/))
})

function membersOf(schema: unknown): [string, unknown][] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'properties' in schema ? Object.entries(Object(schema.properties)) : []
  return [...own, ...Object.values(schema).flatMap(membersOf)]
}
