import { expectTypeOf, test } from 'vitest'
import type { ErrorBody } from './error-body.ts'
import { fixtures } from './fixtures.ts'
import type { JobResponse } from './job.ts'
import type { Model, ModelList } from './model.ts'
import type { RunCompleted, RunProcessing, RunQueued, RunRequest } from './run.ts'
import type { FailedDelivery, SucceededDelivery } from './webhook-event.ts'

test('a fixture has the type of its interface (sections 4, 6 and 7)', () => {
  expectTypeOf(fixtures.models.listFirstPage.body).toEqualTypeOf<ModelList>()
  expectTypeOf(fixtures.models.textToImage.body).toEqualTypeOf<Model>()
  expectTypeOf(fixtures.runs.request.body).toEqualTypeOf<RunRequest>()
  expectTypeOf(fixtures.runs.completed.body).toEqualTypeOf<RunCompleted>()
  expectTypeOf(fixtures.runs.processingSlow.body).toEqualTypeOf<RunProcessing>()
  expectTypeOf(fixtures.runs.queued.body).toEqualTypeOf<RunQueued>()
  expectTypeOf(fixtures.jobs.failed.body).toEqualTypeOf<JobResponse>()
  expectTypeOf(fixtures.errors.notFound.body).toEqualTypeOf<ErrorBody>()
  expectTypeOf(fixtures.webhooks.succeeded.body).toEqualTypeOf<SucceededDelivery>()
  expectTypeOf(fixtures.webhooks.failed.body).toEqualTypeOf<FailedDelivery>()
})

test('a delivery that no interface describes is a plain object (section 6)', () => {
  expectTypeOf(fixtures.webhooks.unknownStatus.body).toEqualTypeOf<Record<string, unknown>>()
})
