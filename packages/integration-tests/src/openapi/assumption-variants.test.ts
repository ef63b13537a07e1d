import type { AssumptionOptions } from '@modelrun/contract/assumptions'
import { expect, it } from 'vitest'
import { OTHER_BEHAVIOUR } from '../assumption-variants.ts'
import { type CheckedServer, createCheckedServer } from './checked-server.ts'

const RUN_PATH = '/v1/models/aurora-image/run'
const INPUT = { prompt: 'a fox' }

const VARIANTS: AssumptionOptions[] = [
  {},
  ...Object.entries(OTHER_BEHAVIOUR).map(([name, value]) => ({ [name]: value })),
]

it.each(VARIANTS)('the document covers what the service responds with %j', async (assumptions) => {
  await using server = createCheckedServer({ clock: 'manual', assumptions, deliver: async () => new Response() })
  await cancelHeldRun(server)
  await failHeldRun(server)
  await cancelTwice(server, { sync: false })
  await cancelTwice(server, { webhook_url: 'https://app.example.com/hook' })
  await readFinishedJob(server)
  await beRejected(server)
  expect(await server.takeViolations()).toEqual([])
})

it.each(VARIANTS)('a limit above 100 is outside the document, with %j too (section 8)', async (assumptions) => {
  await using server = createCheckedServer({ assumptions })
  await call(server, 'GET', '/v1/models?limit=101')
  expect(await server.takeViolations()).toEqual([expect.stringContaining('the parameter limit: / must be <= 100')])
})

async function cancelHeldRun(server: CheckedServer): Promise<void> {
  // Ids come from the seed, so a second server with the seed gives the id of a run without a response.
  await using twin = createCheckedServer({ clock: 'manual' })
  const { job_id } = await call(twin, 'POST', RUN_PATH, { input: INPUT, sync: false })
  server.script('aurora-image', [{ result: 'hang' }])
  const held = call(server, 'POST', RUN_PATH, { input: INPUT })
  await server.clock.advance(1_000)
  await call(server, 'DELETE', `/v1/jobs/${job_id}`)
  expect(await held).toMatchObject({ job_id, status: 'cancelled' })
}

async function failHeldRun(server: CheckedServer): Promise<void> {
  server.script('aurora-image', [{ result: 'failed', after_ms: 1_000 }])
  const held = call(server, 'POST', RUN_PATH, { input: INPUT })
  await server.clock.advance(1_000)
  expect(await held).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_FAILURE' } })
}

async function cancelTwice(server: CheckedServer, options: object): Promise<void> {
  server.script('aurora-image', [{ result: 'hang' }])
  const { job_id } = await call(server, 'POST', RUN_PATH, { input: INPUT, ...options })
  await call(server, 'DELETE', `/v1/jobs/${job_id}`)
  await call(server, 'DELETE', `/v1/jobs/${job_id}`)
  expect(await call(server, 'GET', `/v1/jobs/${job_id}`)).toMatchObject({ data: { status: 'cancelled' } })
}

async function readFinishedJob(server: CheckedServer): Promise<void> {
  const { job_id } = await call(server, 'POST', RUN_PATH, { input: INPUT, sync: false })
  await call(server, 'GET', `/v1/jobs/${job_id}`)
  server.job(String(job_id)).complete()
  expect(await call(server, 'GET', `/v1/jobs/${job_id}`)).toMatchObject({ data: { status: 'succeeded' } })
}

async function beRejected(server: CheckedServer): Promise<void> {
  await call(server, 'GET', '/v1/models?category=scenes')
  expect(await call(server, 'POST', RUN_PATH, { input: { ...INPUT, num_images: 9 } })).toHaveProperty('error')
  const { key } = server.createKey({ permissions: ['models:run'], credits: 0 })
  expect(await call(server, 'POST', RUN_PATH, { input: INPUT }, key)).toHaveProperty('error')
}

// biome-ignore lint/complexity/useMaxParams: reads like the line of a request, with its body and key.
async function call(
  server: CheckedServer,
  method: string,
  path: string,
  body?: object,
  key = server.apiKey,
): Promise<Record<string, unknown>> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const response = await server.fetch(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return text === '' ? {} : JSON.parse(text)
}
