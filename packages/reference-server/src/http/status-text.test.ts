import { STATUS_CODES } from 'node:http'
import { describe, expect, it } from 'vitest'
import { FAULT_KINDS, type FaultKind } from '../faults/fault-options.ts'
import { createReferenceServer } from '../reference-server.ts'
import type { ReferenceServerOptions } from '../service/options.ts'

const RUN = '/v1/models/aurora-image/run'

/** A request to a fresh server: the status, and the text that a client in this process sees with it. */
async function ask(path: string, { json, method = 'GET', fault, ...options }: Ask = {}): Promise<[number, string]> {
  const server = createReferenceServer({ clock: 'auto', ...options })
  if (fault !== undefined) server.faults.add({ kind: fault, when: 'after' })
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' }
  const { status, statusText } = await server.fetch(path, { method, headers, body: json ?? null })
  return [status, statusText]
}

interface Ask extends ReferenceServerOptions {
  json?: string
  method?: string
  fault?: FaultKind
}

const run = (members: object, more: Ask = {}) =>
  ask(RUN, { method: 'POST', json: JSON.stringify({ input: { prompt: 'a' }, ...members }), ...more })

const REJECTED = { status: 422, code: 'VALIDATION_ERROR' }

describe('the text of a status', () => {
  it('is that of a socket, for every response in this process', async () => {
    const responses = await Promise.all([
      ask('/v1/models'),
      ask('/v1/models', { method: 'HEAD' }),
      ask('/v1/models?limit=0'),
      ask('/v1/models/none'),
      ask('/v1/models', { method: 'PUT' }),
      ask('/openapi.json'),
      ask('/_reference'),
      run({}),
      run({ sync: false }),
      run({ input: {} }, { assumptions: { wrongRequest: REJECTED } }),
      run({}, { credits: 0 }),
    ])
    expect(responses.map(([status]) => status)).toEqual([200, 200, 400, 404, 405, 200, 200, 200, 202, 422, 402])
    for (const [status, text] of responses) expect([status, text]).toEqual([status, STATUS_CODES[status]])
  })

  it('is there for a file, a cancel without a body, and what a fault made', async () => {
    const server = createReferenceServer({ clock: 'auto', assumptions: { cancelStatus: 204 } })
    const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ input: { prompt: 'a', image_size: 'square' } })
    const { output } = await (await server.fetch(RUN, { method: 'POST', headers, body })).json()
    for (const method of ['GET', 'HEAD']) {
      expect(await server.fetch(output.items[0].url, { method })).toMatchObject({ status: 200, statusText: 'OK' })
    }
    server.script('aurora-image', [{ result: 'hang' }])
    const queued = await server.fetch(RUN, { method: 'POST', headers, body: body.replace('{', '{"sync":false,') })
    const path = `/v1/jobs/${(await queued.json()).job_id}`
    expect(await server.fetch(path, { method: 'DELETE', headers })).toMatchObject({
      status: 204,
      statusText: 'No Content',
    })
  })

  it.each(FAULT_KINDS.filter((kind) => !['reset', 'empty-reply', 'refused', 'hang'].includes(kind)))(
    'is there with the fault %s',
    async (fault) => {
      const [status, text] = await ask('/v1/models', { fault })
      expect(text).toBe(STATUS_CODES[status])
    },
  )
})
