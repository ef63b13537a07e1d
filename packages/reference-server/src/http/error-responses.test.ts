import type { AssumptionOptions } from '@modelrun/contract/assumptions'
import { expect, it } from 'vitest'
import { createReferenceServer } from '../reference-server.ts'

/** What errors hold: of an unknown job, with another key, without a permission, and of a path that has no such method. */
async function errorsWith(assumptions: AssumptionOptions) {
  const server = createReferenceServer({ clock: 'auto', assumptions })
  const reader = server.createKey({ permissions: ['models:read'] }).key
  const bodyOf = async (key: string, method = 'GET') => {
    const response = await server.fetch('/v1/jobs/none', { method, headers: { authorization: `Bearer ${key}` } })
    const text = await response.text()
    expect(Number(response.headers.get('content-length'))).toBe(new TextEncoder().encode(text).byteLength)
    return JSON.parse(text)
  }
  return {
    unknown: await bodyOf(server.apiKey),
    unauthorized: await bodyOf('sk_test_other'),
    forbidden: await bodyOf(reader),
    wrongMethod: await bodyOf(server.apiKey, 'PATCH'),
  }
}

const error = (more: object) => ({ code: expect.any(String), message: expect.any(String), ...more })

it('sends code and message alone by default', async () => {
  const bodies = Object.values(await errorsWith({}))
  expect(bodies).toEqual(bodies.map(() => ({ error: error({}) })))
})

it('sends the members of all errors, and others where the key is wrong', async () => {
  const requests = { error: { details: ['ü'], code: 'NOT_THIS' }, path: '/x' }
  const all = { error: error({ details: ['ü'] }), path: '/x' }
  const assumptions = { errorMembers: { requests, unauthorized: { error: { hint: 'key' } }, forbidden: {} } }
  expect(await errorsWith(assumptions)).toEqual({
    unknown: all,
    unauthorized: { error: error({ hint: 'key' }) },
    forbidden: { error: error({}) },
    wrongMethod: all,
  })
})

it('sends the members of a rejection instead', async () => {
  const members = { error: { job: null } }
  const rejections = { unknownJob: { status: 410, code: 'GONE', members } }
  const { unknown, forbidden } = await errorsWith({ rejections, errorMembers: { requests: { path: '/x' } } })
  expect(unknown).toEqual({ error: error({ code: 'GONE', job: null }) })
  expect(forbidden).toEqual({ error: error({}), path: '/x' })
})

it('sends the HTTP status of the response and the wrong parameter, where members repeat them', async () => {
  const members = { error: { status: 403, fields: { 'input.{parameter}': ['{parameter} is wrong', 7] } } }
  const rejections = { invalidInput: { status: 422, code: 'WRONG', members } }
  const server = createReferenceServer({ assumptions: { rejections, errorMembers: { requests: { statusCode: 400 } } } })
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ input: { prompt: 7 } })
  const run = await server.fetch('/v1/models/aurora-image/run', { method: 'POST', headers, body })
  const fields = { 'input.prompt': ['prompt is wrong', 7] }
  expect(await run.json()).toEqual({ error: error({ code: 'WRONG', status: 422, fields }) })
  const unknown = await server.fetch('/v1/models/none', { headers })
  expect(await unknown.json()).toEqual({ error: error({}), statusCode: 404 })
})

it('sends those of a failed job in its status, the response to its run and its delivery', async () => {
  let received = (_: unknown) => {}
  const delivered = new Promise<unknown>((resolve) => {
    received = resolve
  })
  const members = (place: string) => ({ error: { place } })
  const server = createReferenceServer({
    clock: 'auto',
    deliver: async (request) => {
      received(await request.json())
      return new Response()
    },
    assumptions: {
      errorMembers: {
        jobs: members('job'),
        runs: { error: { place: 'run', job_id: 'job_of_another_service' } },
        deliveries: members('delivery'),
        requests: { path: 1 },
      },
    },
  })
  server.script('aurora-image', [{ result: 'failed' }, { result: 'failed' }])
  const run = async (more: object) => {
    const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ input: { prompt: 'x' }, ...more })
    return (await server.fetch('/v1/models/aurora-image/run', { method: 'POST', headers, body })).json()
  }
  const failed = await run({})
  expect(failed).toEqual(
    expect.objectContaining({ status: 'failed', error: error({ place: 'run', job_id: failed.job_id }) }),
  )
  expect(failed).not.toHaveProperty('path')
  const { job_id } = await run({ webhook_url: 'https://receiver.test/' })
  expect(await delivered).toEqual({ job_id, status: 'failed', error: error({ place: 'delivery' }) })
  const headers = { authorization: `Bearer ${server.apiKey}` }
  const { data } = await (await server.fetch(`/v1/jobs/${job_id}`, { headers })).json()
  expect(data).toEqual({ status: 'failed', error: error({ place: 'job' }) })
})
