import { expect, test } from 'vitest'
import { KEY_PREFIXES, PERMISSION_MEANINGS, PERMISSIONS } from './auth.ts'
import { ERROR_CODES, HTTP_STATUS_BY_ERROR_CODE } from './error-body.ts'
import { JOB_STATUSES, TERMINAL_JOB_STATUSES } from './job.ts'
import { LIMITS } from './limits.ts'
import { MODEL_CATEGORIES } from './model.ts'
import { ROUTES } from './routes.ts'
import { API_VERSION, SERVICE_VERSION } from './version.ts'

const MEANINGS = {
  'models:read': 'List and view model information',
  'models:run': 'Execute model inference',
  'jobs:read': 'View job status and results',
  'jobs:write': 'Create and cancel jobs',
  'webhooks:manage': 'Create and manage webhooks',
}
const ENDPOINTS = {
  listModels: { method: 'GET', path: '/v1/models', permission: 'models:read' },
  getModel: { method: 'GET', path: '/v1/models/{id}', permission: 'models:read' },
  runModel: { method: 'POST', path: '/v1/models/{model}/run', permission: 'models:run' },
  getJob: { method: 'GET', path: '/v1/jobs/{id}', permission: 'jobs:read' },
  cancelJob: { method: 'DELETE', path: '/v1/jobs/{id}', permission: 'jobs:write' },
}
const CATEGORIES = ['text-to-image', 'text-to-video', 'image-to-image', 'text-to-speech', 'audio-generation']
const STATUSES = ['queued', 'processing', 'succeeded', 'failed', 'cancelled']
const BOUNDS = {
  modelsPageDefault: 20,
  modelsPageMax: 100,
  syncWaitMs: 55_000,
  webhookAckMs: 10_000,
  webhookRetries: 0,
}

test.each<[what: string, constant: unknown, value: unknown]>([
  ['the categories of models (2.2)', MODEL_CATEGORIES, CATEGORIES],
  ['the statuses of jobs, without the `completed` of a run (3)', JOB_STATUSES, STATUSES],
  ['the statuses that end a job (3)', TERMINAL_JOB_STATUSES, ['succeeded', 'failed', 'cancelled']],
  ['the endpoints, each with the permission that names it (4)', ROUTES, ENDPOINTS],
  ['the prefixes of live and test keys (5.3)', KEY_PREFIXES, { live: 'sk_live_', test: 'sk_test_' }],
  ['the permissions (5.4)', PERMISSIONS, Object.keys(MEANINGS)],
  ['what each permission allows (5.4)', PERMISSION_MEANINGS, MEANINGS],
  ['the codes of errors (7)', ERROR_CODES, ['UNAUTHORIZED', 'FORBIDDEN', 'PROVIDER_FAILURE']],
  [
    'the statuses of errors; a job that failed has none (7)',
    HTTP_STATUS_BY_ERROR_CODE,
    { UNAUTHORIZED: 401, FORBIDDEN: 403 },
  ],
  ['the limits (8)', LIMITS, BOUNDS],
  ['the versions of path and service (9)', [API_VERSION, SERVICE_VERSION], ['v1', 'v1.2.0']],
])('the contract holds %s', (_what, constant, value) => {
  expect(constant).toEqual(value)
})
