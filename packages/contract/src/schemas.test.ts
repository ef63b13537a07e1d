import { describe, expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { errorBodySchema } from './error-body.ts'
import { fixtures } from './fixtures.ts'
import { jobResponseSchema } from './job.ts'
import { listModelsQuerySchema, modelListSchema, modelSchema } from './model.ts'
import { runRequestSchema, runResponseSchema } from './run.ts'
import { webhookDeliverySchema } from './webhook-event.ts'

/** A copy of the body with another value at the path, or without it when the value is `undefined`. */
function withValueAt(body: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  const copy = structuredClone(body)
  if (typeof copy !== 'object' || copy === null) throw new TypeError(`There is no ${key} in ${JSON.stringify(body)}.`)
  const next = withValueAt(Reflect.get(copy, key), rest, value)
  if (next === undefined) Reflect.deleteProperty(copy, key)
  else Reflect.set(copy, key, next)
  return copy
}

function issuePaths(schema: z.ZodMiniType, value: unknown) {
  return schema.safeParse(value).error?.issues.map((issue) => issue.path)
}

type Path = readonly (string | number)[]

type Case = [section: string, path: Path, wrong: unknown, schema: z.ZodMiniType, body: unknown]

function rejectsAt(...[, path, wrong, schema, body]: Case) {
  expect(issuePaths(schema, body)).toBeUndefined()
  expect(issuePaths(schema, withValueAt(body, path, wrong))).toEqual([path])
}

describe('the error for a model of the wrong shape has the place', () => {
  const { textToImage, listFirstPage } = fixtures.models
  const numImages = ['input_schema', 'properties', 'num_images']
  test.each<Case>([
    ['2.1', ['id'], undefined, modelSchema, textToImage.body],
    ['2.1', ['category'], 7, modelSchema, textToImage.body],
    ['2.1', ['pricing', 'credits_per_run'], '4', modelSchema, textToImage.body],
    ['2.3', ['input_schema'], undefined, modelSchema, textToImage.body],
    ['2.3', [...numImages, 'maximum'], '4', modelSchema, textToImage.body],
    ['2.3', ['input_schema', 'required', 0], 1, modelSchema, textToImage.body],
    ['4.1', ['models', 1, 'name'], null, modelListSchema, listFirstPage.body],
    ['4.1', ['total'], '5', modelListSchema, listFirstPage.body],
    ['4.1', ['offset'], undefined, modelListSchema, listFirstPage.body],
  ])('section %s: %j as %j', rejectsAt)
})

describe('the error for a run response of the wrong shape has the place', () => {
  const { completed, processingSlow, queued } = fixtures.runs
  test.each<Case>([
    ['3', ['status'], 'succeeded', runResponseSchema, completed.body],
    ['4.3', ['job_id'], undefined, runResponseSchema, completed.body],
    ['2.5', ['output', 'items', 1, 'url'], undefined, runResponseSchema, completed.body],
    ['4.3', ['credits_used'], '4', runResponseSchema, completed.body],
    ['4.3', ['message'], undefined, runResponseSchema, processingSlow.body],
    ['4.3', ['model_id'], 1, runResponseSchema, queued.body],
  ])('section %s: %j as %j', rejectsAt)
})

describe('the error for a job of the wrong shape has the place', () => {
  const { queued, succeeded, failed } = fixtures.jobs
  test.each<Case>([
    ['4.4', ['data'], undefined, jobResponseSchema, queued.body],
    ['4.4', ['data', 'status'], undefined, jobResponseSchema, queued.body],
    ['2.5', ['data', 'output', 'items'], {}, jobResponseSchema, succeeded.body],
    ['7', ['data', 'error', 'code'], 500, jobResponseSchema, failed.body],
  ])('section %s: %j as %j', rejectsAt)
})

describe('the error for an error body or a delivery of the wrong shape has the place', () => {
  const { succeeded, failed } = fixtures.webhooks
  const { unauthorized } = fixtures.errors
  test.each<Case>([
    ['7', ['error'], 'UNAUTHORIZED', errorBodySchema, unauthorized.body],
    ['7', ['error', 'message'], undefined, errorBodySchema, unauthorized.body],
    ['6', ['status'], 'completed', webhookDeliverySchema, succeeded.body],
    ['6', ['completed_at'], 1_768_469_467, webhookDeliverySchema, succeeded.body],
    ['6', ['output'], undefined, webhookDeliverySchema, succeeded.body],
    ['6', ['error'], undefined, webhookDeliverySchema, failed.body],
  ])('section %s: %j as %j', rejectsAt)
})

/** The value with one more field in every object, however deep. */
function withNewFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNewFields)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([key, field]) => [key, withNewFields(field)])
  return { ...Object.fromEntries(fields), added_later: {} }
}

describe('a field that the service adds later is kept, at every depth', () => {
  test.each<[what: string, schema: z.ZodMiniType, body: unknown]>([
    ['model list (section 4.1)', modelListSchema, fixtures.models.listFirstPage.body],
    ['model (section 4.2)', modelSchema, fixtures.models.textToImage.body],
    ['completed run (section 4.3)', runResponseSchema, fixtures.runs.completed.body],
    ['processing run (section 4.3)', runResponseSchema, fixtures.runs.processingSlow.body],
    ['queued run (section 4.3)', runResponseSchema, fixtures.runs.queued.body],
    ['succeeded job (section 4.4)', jobResponseSchema, fixtures.jobs.succeeded.body],
    ['failed job (section 4.4)', jobResponseSchema, fixtures.jobs.failed.body],
    ['success delivery (section 6)', webhookDeliverySchema, fixtures.webhooks.succeeded.body],
    ['failure delivery (section 6)', webhookDeliverySchema, fixtures.webhooks.failed.body],
    ['error (section 7)', errorBodySchema, fixtures.errors.unauthorized.body],
  ])('%s', (_what, schema, body) => {
    const grown = withNewFields(body)
    expect(schema.parse(grown)).toStrictEqual(grown)
  })
})

describe('a run request is read strictly', () => {
  const body = fixtures.runs.requestWebhook.body
  test.each<Case>([
    ['4.3', ['input'], undefined, runRequestSchema, body],
    ['4.3', ['input'], ['a red fox'], runRequestSchema, body],
    ['4.3', ['sync'], 'false', runRequestSchema, body],
    ['4.3', ['webhook_url'], 'app.example.com/hooks', runRequestSchema, body],
    ['4.3', ['webhook_url'], 'ftp://app.example.com/hooks', runRequestSchema, body],
  ])('section %s: %j as %j', rejectsAt)

  test('rejects an unknown field (section 4.3)', () => {
    const issues = runRequestSchema.safeParse({ ...body, webhookUrl: 'https://app.example.com' }).error?.issues
    expect(issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['webhookUrl'] }])
  })

  test('takes a webhook over HTTP: HTTPS is recommended, not demanded (section 4.3)', () => {
    const webhook_url = 'http://127.0.0.1:4011/hooks'
    expect(runRequestSchema.parse({ ...body, webhook_url }).webhook_url).toBe(webhook_url)
  })
})

describe('the query of the model list is read strictly', () => {
  const query = { category: 'text-to-image', search: 'fox', limit: 100, offset: 0 }
  test.each<Case>([
    ['8', ['limit'], 0, listModelsQuerySchema, query],
    ['8', ['limit'], 101, listModelsQuerySchema, query],
    ['4.1', ['limit'], 2.5, listModelsQuerySchema, query],
    ['4.1', ['limit'], '20', listModelsQuerySchema, query],
    ['4.1', ['offset'], -1, listModelsQuerySchema, query],
    ['4.1', ['search'], 7, listModelsQuerySchema, query],
  ])('section %s: %j as %j', rejectsAt)

  test('asks for nothing: every parameter is optional (section 4.1)', () => {
    expect(listModelsQuerySchema.parse({})).toEqual({})
  })

  test('rejects an unknown parameter (section 4.1)', () => {
    const issues = listModelsQuerySchema.safeParse({ page: 2 }).error?.issues
    expect(issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['page'] }])
  })
})
