import { expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { errorBodySchema } from './error-body.ts'
import { fixtures } from './fixtures.ts'
import { jobResponseSchema } from './job.ts'
import { listModelsQuerySchema, modelListSchema, modelSchema } from './model.ts'
import { runRequestSchema, runResponseSchema } from './run.ts'
import { webhookDeliverySchema } from './webhook-event.ts'

const { models, runs, jobs, webhooks, errors } = fixtures
const QUERY = { category: 'text-to-image', search: 'fox', limit: 100, offset: 0 }

/** What is read, and a body that is right. */
const SHAPES: Record<string, [schema: z.ZodMiniType, body: unknown]> = {
  'model (2.1, 2.3)': [modelSchema, models.textToImage.body],
  'model list (4.1)': [modelListSchema, models.listFirstPage.body],
  'completed run (3, 4.3)': [runResponseSchema, runs.completed.body],
  'processing run (4.3)': [runResponseSchema, runs.processingSlow.body],
  'queued run (4.3)': [runResponseSchema, runs.queued.body],
  'queued job (4.4)': [jobResponseSchema, jobs.queued.body],
  'succeeded job (2.5)': [jobResponseSchema, jobs.succeeded.body],
  'failed job (7)': [jobResponseSchema, jobs.failed.body],
  'error (7)': [errorBodySchema, errors.unauthorized.body],
  'success delivery (6)': [webhookDeliverySchema, webhooks.succeeded.body],
  'failure delivery (6)': [webhookDeliverySchema, webhooks.failed.body],
  'run request (4.3)': [runRequestSchema, runs.requestWebhook.body],
  'query of models (4.1, 8)': [listModelsQuerySchema, QUERY],
}

function shapeOf(name: string): [schema: z.ZodMiniType, body: unknown] {
  return SHAPES[name] ?? expect.unreachable(name)
}

/** A copy of a body with another value at the path, or without it when the value is `undefined`. */
function withValueAt(body: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  const copy = structuredClone(body)
  if (typeof copy !== 'object' || copy === null) throw new TypeError(`There is no ${key} in ${JSON.stringify(body)}.`)
  const next = withValueAt(Reflect.get(copy, key), rest, value)
  if (next === undefined) Reflect.deleteProperty(copy, key)
  else Reflect.set(copy, key, next)
  return copy
}

const pathsOf = (schema: z.ZodMiniType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path }) => path.join('.'))

test.each<[shape: string, place: string, wrong: unknown]>([
  ['model (2.1, 2.3)', 'id', undefined],
  ['model (2.1, 2.3)', 'input_schema', undefined],
  ['model (2.1, 2.3)', 'input_schema.properties.num_images.maximum', '4'],
  ['model list (4.1)', 'models.1.name', null],
  ['model list (4.1)', 'offset', undefined],
  ['completed run (3, 4.3)', 'status', 'succeeded'],
  ['completed run (3, 4.3)', 'job_id', undefined],
  ['completed run (3, 4.3)', 'output.items.1.url', undefined],
  ['processing run (4.3)', 'message', undefined],
  ['queued job (4.4)', 'data.status', undefined],
  ['succeeded job (2.5)', 'data.output.items', {}],
  ['error (7)', 'error', 'UNAUTHORIZED'],
  ['error (7)', 'error.message', undefined],
  ['success delivery (6)', 'status', 'completed'],
  ['success delivery (6)', 'output', undefined],
  ['failure delivery (6)', 'error', undefined],
  // Requests are read strictly.
  ['run request (4.3)', 'input', ['a red fox']],
  ['run request (4.3)', 'sync', 'false'],
  ['run request (4.3)', 'webhook_url', 'app.example.com/hooks'],
  ['run request (4.3)', 'webhook_url', 'ftp://app.example.com/hooks'],
  ['query of models (4.1, 8)', 'limit', 0],
  ['query of models (4.1, 8)', 'limit', 101],
  ['query of models (4.1, 8)', 'limit', 2.5],
  ['query of models (4.1, 8)', 'offset', -1],
])('a wrong %s is reported at its place: %s as %j', (shape, place, wrong) => {
  const [schema, body] = shapeOf(shape)
  expect(pathsOf(schema, body)).toBeUndefined()
  expect(pathsOf(schema, withValueAt(body, place.split('.'), wrong))).toEqual([place])
})

test.each(['run request (4.3)', 'query of models (4.1, 8)'])('an unknown member is rejected: %s', (shape) => {
  const [schema, body] = shapeOf(shape)
  const issues = schema.safeParse(withValueAt(body, ['webhookUrl'], 2)).error?.issues
  expect(issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['webhookUrl'] }])
})

test('a webhook over HTTP is taken, since HTTPS is only recommended, and so is a query of nothing (section 4)', () => {
  const webhook_url = 'http://127.0.0.1:4011/hooks'
  expect(runRequestSchema.parse({ ...runs.requestWebhook.body, webhook_url }).webhook_url).toBe(webhook_url)
  expect(listModelsQuerySchema.parse({})).toEqual({})
})

/** The value with one more field in every object, however deep. */
function withNewFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNewFields)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([key, field]) => [key, withNewFields(field)])
  return { ...Object.fromEntries(fields), added_later: {} }
}

const grown = Object.keys(SHAPES).filter((shape) => !/request|query/.test(shape))

test.each(grown)('a field that the service adds later is kept, at every depth: %s', (shape) => {
  const [schema, body] = shapeOf(shape)
  const later = withNewFields(body)
  expect(schema.parse(later)).toStrictEqual(later)
})
