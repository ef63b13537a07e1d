import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { collect } from '../../../test/collect.ts'
import { errorResponse, json, text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { JobFailedError } from '../errors/job-errors.ts'

const COMPLETED = fixtures.runs.completed.body
const { output } = COMPLETED
const WRONG = [null, undefined, '10', 7, {}, [], true]
const SIDE_FIELDS = { request_id: 'string', model_id: 'string', duration_ms: 'number', credits_used: 'number' }
const CASES = Object.entries(SIDE_FIELDS).flatMap(([name, type]) =>
  WRONG.filter((value) => typeof value !== type).map((value) => ({ name, value })),
)

/** A service whose key may run models and read no job. */
const openClient = (body: object) => createTestClient([json(200, body), errorResponse(403, 'FORBIDDEN')]).client

const CALLS = {
  run: (client: ReturnType<typeof openClient>) => client.run('m', {}),
  'submit and result': async (client: ReturnType<typeof openClient>) => await (await client.submit('m', {})).result(),
  runMany: async (client: ReturnType<typeof openClient>) => {
    const [run] = await collect(client.runMany('m', [{}]))
    return run?.status === 'fulfilled' ? run.value : expect.unreachable(`${run?.reason}`)
  },
}

const [FILE] = COMPLETED.output.items
const whole = (more: object) => JSON.stringify({ ...COMPLETED, ...more })

describe.each(Object.entries(CALLS))('the result that is in the response is returned by %s', (_, call) => {
  test.each(CASES)('with $name $value', async ({ name, value }) => {
    const result = await call(openClient({ ...COMPLETED, [name]: value }))
    expect(result).toMatchObject({ job_id: COMPLETED.job_id, status: 'succeeded', output: COMPLETED.output })
    expect(Reflect.get(result ?? {}, name)).toBe(name === 'model_id' && call !== CALLS.run ? 'm' : undefined)
  })

  test('with an item that has no type', async () => {
    const output = { items: [{ url: 'https://files.example/fox.png' }] }
    await expect(call(openClient({ ...COMPLETED, output }))).resolves.toMatchObject({ output })
  })

  test.each([
    ['whose status is written otherwise', whole({ status: ' COMPLETED ' })],
    ['whose status is another word', whole({ status: 'done' })],
    ['whose status is not a word', whole({ status: 3 })],
    ['with a comment behind the JSON', `${whole({})}\n<!-- cached -->`],
    ['with NUL behind the JSON', `${whole({})}\0`],
    ['in `data`', JSON.stringify({ status: 'success', data: COMPLETED })],
    ['in a list', JSON.stringify([COMPLETED])],
    ['with one item without a list', whole({ output: { type: 'image', items: FILE } })],
    ['with the status 500', whole({}), 500],
  ])('%s', async (_, body, status = 200) => {
    const { client } = createTestClient([text(status, body), errorResponse(403, 'FORBIDDEN')])
    expect((await call(client))?.output.items[0]).toEqual(FILE)
  })

  test('as it is', async () => {
    const { duration_ms, credits_used, request_id, output } = COMPLETED
    const expected = { duration_ms, credits_used, request_id, output }
    await expect(call(openClient(COMPLETED))).resolves.toMatchObject(expected)
  })
})

test.each([
  ['an empty output', 200, { items: [] }],
  ['the status 202', 202, output],
])('a new status with %s is not the end', async (_, status, early) => {
  const run = json(status, { job_id: 'job_1', status: 'warming', output: early })
  const { client, service } = createTestClient([run, json(200, { data: { status: 'succeeded', output } })])
  await expect(client.run('m', {})).resolves.toMatchObject({ output })
  expect(service.received).toHaveLength(2)
})

test('the failure that is in the response is the end of the run, and another error that is polled is not', async () => {
  const failed = { job_id: 'job_1', status: 'FAILED', error: { code: 'NSFW', message: 'No.' } }
  const error = await caught(openClient(failed).run('m', {}), JobFailedError)
  expect(error).toMatchObject({ jobId: 'job_1', failureCode: 'NSFW' })
  const { client } = createTestClient([json(500, failed), json(200, { data: { status: 'succeeded', output } })])
  await expect(client.run('m', {})).resolves.toMatchObject({ output })
})

test('the result of a service that writes NaN is returned, of the run and of a poll', async () => {
  const written = (value: object) => text(200, JSON.stringify(value).replaceAll('null', 'NaN'))
  const { job_id } = COMPLETED
  const polled = written({ data: { status: 'succeeded', output, duration_ms: null } })
  const { client } = createTestClient([written({ ...COMPLETED, duration_ms: null }), polled])
  await expect(client.run('m', {})).resolves.toMatchObject({ output })
  await expect(client.jobs.attach(job_id).result()).resolves.toMatchObject({ output })
})
