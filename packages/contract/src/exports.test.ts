import * as contract from '@modelrun/contract'
import * as fixtures from '@modelrun/contract/fixtures'
import * as openapi from '@modelrun/contract/openapi'
import { expect, test } from 'vitest'

test('@modelrun/contract exports these names (sections 2 to 9)', () => {
  expect(Object.keys(contract).toSorted()).toEqual([
    'API_VERSION',
    'ERROR_CODES',
    'HTTP_STATUS_BY_ERROR_CODE',
    'JOB_STATUSES',
    'JOB_TRANSITIONS',
    'KEY_PREFIXES',
    'LIMITS',
    'MODEL_CATEGORIES',
    'PERMISSIONS',
    'PERMISSION_MEANINGS',
    'ROUTES',
    'SERVICE_VERSION',
    'TERMINAL_JOB_STATUSES',
    'errorBodySchema',
    'errorDetailSchema',
    'failedDeliverySchema',
    'inputPropertySchema',
    'inputSchemaSchema',
    'jobResponseSchema',
    'jobSchema',
    'listModelsQuerySchema',
    'modelListSchema',
    'modelPricingSchema',
    'modelSchema',
    'modelSummarySchema',
    'outputItemSchema',
    'outputSchema',
    'routePath',
    'runCompletedSchema',
    'runProcessingSchema',
    'runQueuedSchema',
    'runRequestSchema',
    'runResponseSchema',
    'succeededDeliverySchema',
    'webhookDeliverySchema',
  ])
})

test('@modelrun/contract/fixtures exports one object of groups (sections 4, 6 and 7)', () => {
  expect(Object.keys(fixtures)).toEqual(['fixtures'])
  expect(Object.keys(fixtures.fixtures)).toEqual(['models', 'runs', 'jobs', 'errors', 'webhooks'])
})

test('@modelrun/contract/openapi exports the document (sections 4 and 6)', () => {
  expect(Object.keys(openapi)).toEqual(['openApiDocument'])
})
