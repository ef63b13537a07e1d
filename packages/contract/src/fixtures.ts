/**
 * Example bodies of every request, response and webhook delivery that the specification shows or implies.
 *
 * @module
 */
import data from '../fixtures.json' with { type: 'json' }
import type { ErrorBody } from './error-body.ts'
import type { JobResponse } from './job.ts'
import type { Model, ModelList } from './model.ts'
import type { RunCompleted, RunProcessing, RunQueued, RunRequest } from './run.ts'
import type { FailedDelivery, SucceededDelivery } from './webhook-event.ts'

/** An example body with the place in the specification that it belongs to. */
export interface Fixture<Body> {
  /** Section of the specification, such as `4.3`. */
  readonly section: string
  /** Set where the specification is silent: the assumption that the fixture makes. The real service may respond differently. */
  readonly assumption?: string | undefined
  /** The JSON body. Shared by all importers: take a `structuredClone` before changing it. */
  readonly body: Body
}

/** An example response of the service, with its HTTP status. */
type ResponseFixture<Body> = Fixture<Body> & { readonly httpStatus: number }

type Fixtures<Body, Names extends string> = Readonly<Record<Names, Fixture<Body>>>
type ResponseFixtures<Body, Names extends string> = Readonly<Record<Names, ResponseFixture<Body>>>

// By the interface of the body, so that a new example value does not change the type.
interface FixtureGroups {
  /** The two pages together show every category of section 2.2. `imageEditing` takes an `image_url`, and its id holds a `/`. */
  readonly models: ResponseFixtures<ModelList, 'listFirstPage' | 'listLastPage' | 'listEmpty'> &
    ResponseFixtures<Model, 'textToImage' | 'imageEditing'>
  /** `webhooks.succeeded` is the delivery that follows `processingWebhook`, and `jobs.succeeded` shows the same job. */
  readonly runs: Fixtures<RunRequest, 'request' | 'requestAsync' | 'requestWebhook'> &
    ResponseFixtures<RunCompleted, 'completed'> &
    ResponseFixtures<RunProcessing, 'processingSlow' | 'processingWebhook'> &
    ResponseFixtures<RunQueued, 'queued'>
  /** `cancel` and `cancelEmpty` are responses to a cancel, with a body and without. */
  readonly jobs: ResponseFixtures<
    JobResponse,
    'queued' | 'processing' | 'succeeded' | 'failed' | 'cancelled' | 'unknownFields' | 'unknownStatus' | 'cancel'
  > &
    Readonly<Record<'cancelEmpty', Omit<ResponseFixture<never>, 'body'> & { readonly body?: undefined }>>
  readonly errors: ResponseFixtures<
    ErrorBody,
    | 'unauthorized'
    | 'forbidden'
    | 'invalidRequest'
    | 'insufficientCredits'
    | 'notFound'
    | 'conflict'
    | 'rateLimited'
    | 'internal'
  >
  /** Deliveries. `succeededAgain` is a duplicate (section 6, rule 3). */
  readonly webhooks: Fixtures<
    SucceededDelivery,
    'succeeded' | 'succeededAgain' | 'unknownFields' | 'unknownOutputType'
  > &
    Fixtures<FailedDelivery, 'failed'> &
    Fixtures<Record<string, unknown>, 'unknownStatus' | 'cancelled'>
}

/** Every fixture by group. The same is in the file `@modelrun/contract/fixtures.json`. */
export const fixtures = data as FixtureGroups // a test reads each body by its schema
