import { describe, expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { errorBodySchema } from './error-body.ts'
import { type Fixture, fixtures } from './fixtures.ts'
import { JOB_STATUSES, jobResponseSchema } from './job.ts'
import { MODEL_CATEGORIES, modelListSchema, modelSchema } from './model.ts'
import { runRequestSchema, runResponseSchema } from './run.ts'
import { webhookDeliverySchema } from './webhook-event.ts'

const { models, runs, jobs, errors, webhooks } = fixtures

describe('every fixture is read by its schema, which keeps all its fields', () => {
  const { textToImage, imageEditing, ...lists } = models
  const { request, requestAsync, requestWebhook, ...responses } = runs
  const { cancelEmpty, ...jobResponses } = jobs
  const { unknownStatus, cancelled, ...deliveries } = webhooks
  const groups: [what: string, z.ZodMiniType, Record<string, Fixture<unknown>>][] = [
    ['model lists (section 4.1)', modelListSchema, lists],
    ['models (section 4.2)', modelSchema, { textToImage, imageEditing }],
    ['run requests (section 4.3)', runRequestSchema, { request, requestAsync, requestWebhook }],
    ['run responses (section 4.3)', runResponseSchema, responses],
    ['job responses (sections 4.4 and 4.5)', jobResponseSchema, jobResponses],
    ['errors (section 7)', errorBodySchema, errors],
    ['deliveries (section 6)', webhookDeliverySchema, deliveries],
  ]

  test.each(groups)('%s', (_what, schema, group) => {
    for (const { body } of Object.values(group)) expect(schema.parse(body)).toStrictEqual(body)
  })

  test.each([
    ['with an unknown status', unknownStatus],
    ['for a cancelled job', cancelled],
  ])('a delivery %s is none that the specification shows (section 6)', (_what, { body }) => {
    expect(webhookDeliverySchema.safeParse(body).error?.issues[0]?.path).toEqual(['status'])
  })

  test('the response to a cancel may be empty (section 4.5)', () => {
    expect([cancelEmpty.httpStatus, cancelEmpty.body]).toEqual([204, undefined])
  })
})

describe('fixtures', () => {
  test('show every model category (section 2.2)', () => {
    const listed = [...models.listFirstPage.body.models, ...models.listLastPage.body.models]
    expect(new Set(listed.map(({ category }) => category))).toEqual(new Set(MODEL_CATEGORIES))
    expect(listed).toHaveLength(models.listLastPage.body.total)
  })

  test('show in the list what the details show, without the input schema (section 4.1)', () => {
    const { input_schema, ...summary } = models.imageEditing.body
    expect(models.listFirstPage.body.models).toContainEqual(summary)
    expect(input_schema.properties).toHaveProperty('image_url')
  })

  test('show every job status (section 3)', () => {
    const shown = new Set(Object.values(jobs).map(({ body }) => body?.data.status))
    expect(JOB_STATUSES.filter((status) => !shown.has(status))).toEqual([])
  })

  test('describe a job the same by polling and by webhook (sections 4.4 and 6)', () => {
    expect(webhooks.succeeded.body.job_id).toBe(runs.processingWebhook.body.job_id)
    expect(webhooks.succeeded.body.output).toEqual(jobs.succeeded.body.data.output)
  })

  test('mark every code that the specification does not show as an assumption (section 7)', () => {
    for (const { body, assumption } of Object.values(errors)) {
      const isShown = ['UNAUTHORIZED', 'FORBIDDEN'].includes(body.error.code)
      expect(assumption === undefined, body.error.code).toBe(isShown)
    }
  })
})
