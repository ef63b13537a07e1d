import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, it, vi } from 'vitest'
import { errorOf, openServer } from '../../test/api-caller.ts'
import { type CatalogModel, DEFAULT_CATALOG } from '../domain/catalog.ts'
import { createReferenceServer } from '../reference-server.ts'
import { readJson } from './read-json-body.ts'

const MIB = 1024 * 1024

function request(
  body: BodyInit | null,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Request {
  // `duplex` is asked for by the platform for streams; its types do not know it yet.
  const init = { method: 'POST', body, headers, duplex: 'half' }
  return new Request('https://x.test/', init)
}

async function problemOf(body: BodyInit | null) {
  const read = await readJson(request(body))
  if (typeof read.problem !== 'string') throw new Error('The body was accepted.')
  return read.problem
}

describe('read JSON body', () => {
  it.each([
    ['', 'Invalid body: it is empty'],
    [null, 'Invalid body: it is empty'],
    ['{', 'not valid JSON'],
    ['{"a":1}}', 'not valid JSON'],
    ["{'a':1}", 'not valid JSON'],
    ['NaN', 'not valid JSON'],
    [new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 'not valid UTF-8'],
    [new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), 'not valid UTF-8'],
  ])('says what is wrong with %j', async (body, message) => {
    expect(await problemOf(body)).toContain(message)
  })

  it('reads up to 1 MiB and responds with 413 to more', async () => {
    const ofSize = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`
    expect(await readJson(request(ofSize(MIB)))).toHaveProperty('json')
    const { problem } = await readJson(request(ofSize(MIB + 1)))
    expect(problem).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' })
  })

  it('stops reading a body without end, and one that says that it is too large', async () => {
    const cancel = vi.fn()
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)), cancel })
    expect(await readJson(request(endless))).toMatchObject({ problem: { status: 413 } })
    expect(cancel).toHaveBeenCalledOnce()
    const headers = { 'content-type': 'application/json', 'content-length': String(MIB + 1) }
    expect(await readJson(request('{}', headers))).toMatchObject({ problem: { status: 413 } })
  })

  it('says that a body broke off, or was read before', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })
    expect(await problemOf(broken)).toContain('broke off')
    const used = request('{}')
    await used.text()
    expect((await readJson(used)).problem).toContain('broke off')
  })
})

it.each([
  [null, 200],
  ['', 200],
  ['{"key":"k"}', 404],
  ['key=k', 400],
  ['{"kye":"k"}', 400],
])(
  'a control request with the body %j is a %i, whatever the content type, as curl -d sends it',
  async (body, status) => {
    const { server } = setUp()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await server.fetch('/_reference/reset', { method: 'POST', body, headers })
    expect(response.status).toBe(status)
  },
)

/** JSON text of arrays in arrays. */
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

const [sample] = DEFAULT_CATALOG
const model = {
  ...sample,
  id: 'free',
  input_schema: { type: 'object', properties: { list: { type: 'array' }, any: {} }, required: [] },
} as CatalogModel // a catalog has at least one model, and `any` is a parameter of every type

const setUp = () => openServer({ clock: 'manual', catalog: [model] })

const runBody = (name: string, depth: number) => `{"input":{"${name}":${nested(depth)}},"sync":false}`

describe('a body that nests deep', () => {
  it.each(['list', 'any'])(
    'is a run with the parameter %s up to 64 levels, all of which can be read again',
    async (name) => {
      const { server, caller } = setUp()
      const run = await caller.call('POST', '/v1/models/free/run', { body: runBody(name, 62) })
      expect(run.status).toBe(202)
      await server.clock.advance(60_000)
      for (const path of [`/v1/jobs/${run.body.job_id}`, `/_reference/jobs/${run.body.job_id}`]) {
        expect((await caller.get(path)).status).toBe(200)
      }
      expect(() => server.restore(server.snapshot())).not.toThrow()
    },
  )

  it.each([63, 5_000, 100_000])('is a 400 with %i levels in a parameter', async (depth) => {
    const { server, caller } = setUp()
    const run = await caller.call('POST', '/v1/models/free/run', { body: runBody('list', depth) })
    expect([run.status, errorOf(run).code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(errorOf(run).message).toContain('nests deeper than 64 levels')
    expect(server.snapshot().jobs).toEqual([])
  })
})

describe('a value that nests deep, in a program', () => {
  const deep = JSON.parse(nested(9_000))
  const output = { type: 'image', items: [], more: JSON.parse(nested(70)) }

  it('is rejected with an error that says so', async () => {
    const { server, caller } = setUp()
    const { job_id } = (await caller.run('free', { sync: false, input: {} })).body
    const message = 'nests deeper than 64 levels'
    expect(() => server.script('free', [{ result: 'succeeded', output }])).toThrow(message)
    expect(() => server.job(String(job_id)).complete(output)).toThrow(message)
    expect(() => server.faults.add({ kind: 'response', body: deep })).toThrow(message)
    const cycle: Record<string, unknown> = {}
    cycle.self = [cycle, cycle]
    for (const wrong of [deep, cycle]) {
      expect(() => server.restore(wrong as never)).toThrow('nests deeper than 80 levels')
    }
    expect(() => createReferenceServer({ catalog: [{ ...model, more: deep } as CatalogModel] })).toThrow(message)
    expect(() => createReferenceServer({ assumptions: deep })).toThrow(ConfigurationError)
    expect(() => createReferenceServer({ seed: deep })).toThrow(ConfigurationError)
  })
})
