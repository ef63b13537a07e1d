import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { type CatalogModel, DEFAULT_CATALOG } from '../domain/catalog.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

/** JSON text of arrays in arrays. */
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

const [sample] = DEFAULT_CATALOG
const model = {
  ...sample,
  id: 'free',
  input_schema: { type: 'object', properties: { list: { type: 'array' }, any: {} }, required: [] },
} as CatalogModel // a catalog has at least one model, and `any` is a parameter of every type

function setUp(): { server: ReferenceServer; caller: ReturnType<typeof apiCaller> } {
  const server = createReferenceServer({ clock: 'manual', catalog: [model] })
  return { server, caller: apiCaller(server) }
}

const runBody = (name: string, depth: number) => `{"input":{"${name}":${nested(depth)}},"sync":false}`

describe('a body that nests deep', () => {
  it.each(['list', 'any'])(
    'is a run with the parameter %s up to 64 levels, all of which can be read again',
    async (name) => {
      const { server, caller } = setUp()
      const run = await caller.call('POST', '/v1/models/free/run', { body: runBody(name, 62) })
      expect(run.status).toBe(202)
      await server.clock.advance(60_000)
      for (const path of [
        `/v1/jobs/${run.body.job_id}`,
        `/_reference/jobs/${run.body.job_id}`,
        '/_reference/snapshot',
      ]) {
        expect((await caller.get(path)).status).toBe(200)
      }
      const { text } = await caller.get('/_reference/snapshot')
      expect((await caller.call('POST', '/_reference/restore', { body: text })).status).toBe(200)
      expect(() => server.fork()).not.toThrow()
    },
  )

  it.each([63, 5_000, 100_000])('is a 400 with %i levels in a parameter', async (depth) => {
    const { server, caller } = setUp()
    const run = await caller.call('POST', '/v1/models/free/run', { body: runBody('list', depth) })
    expect([run.status, errorOf(run).code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(errorOf(run).message).toContain('nests deeper than 64 levels')
    expect(run.headers.get('x-modelrun-hint')).toContain('assumption deepestBody')
    expect(server.snapshot().jobs).toEqual([])
  })

  it('is a 400 for every call of the control API, and changes nothing', async () => {
    const { server, caller } = setUp()
    const { job_id } = (await caller.run('free', { sync: false, input: {} })).body
    const before = server.snapshot()
    const deep = nested(9_000)
    const state = JSON.stringify(before)
    const bodies: [string, string][] = [
      ['restore', deep],
      ['restore', state.replace('"input":{', `"input":{"list":${deep},`)],
      ['restore', state.replace('"scripts":{', `"scripts":{"free":${deep},`)],
      [
        'scripts',
        `{"model":"free","outcomes":[{"result":"succeeded","output":{"type":"x","items":[],"more":${deep}}}]}`,
      ],
      [`jobs/${job_id}/complete`, `{"output":{"type":"x","items":[],"more":${deep}}}`],
      ['keys', `{"permissions":${deep}}`],
      ['faults', `{"kind":${deep}}`],
      ['reset', deep],
      ['clock', `{"advance_ms":${deep}}`],
    ]
    for (const [path, body] of bodies) {
      const response = await caller.call('POST', `/_reference/${path}`, { body })
      expect([path, response.status, errorOf(response).code]).toEqual([path, 400, 'VALIDATION_ERROR'])
    }
    expect(server.snapshot()).toEqual(before)
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
    expect(() => server.faults.add(deep)).toThrow(message)
    expect(() => server.restore(deep)).toThrow('nests deeper than 80 levels')
    expect(() => createReferenceServer({ catalog: [{ ...model, more: deep } as CatalogModel] })).toThrow(message)
    expect(() => createReferenceServer({ assumptions: deep })).toThrow(ConfigurationError)
    expect(() => createReferenceServer({ profile: deep })).toThrow(ConfigurationError)
    expect(() => createReferenceServer({ seed: deep })).toThrow(ConfigurationError)
  })

  it('may be a cycle', () => {
    const { server } = setUp()
    const cycle: Record<string, unknown> = {}
    cycle.self = [cycle, cycle]
    expect(() => server.restore(cycle as never)).toThrow('nests deeper than 80 levels')
  })
})
