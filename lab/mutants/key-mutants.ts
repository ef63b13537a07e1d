import type { RouteName } from '@modelrun/contract'
import { contentType, hasCode, raw, removeKeys, revoked } from './edits.ts'
import {
  type Edit,
  edited,
  isFor,
  type Keys,
  type Mutation,
  mutants,
  put,
  type Row,
  status,
  take,
  type WireRequest,
  when,
} from './mutation.ts'

const HEADER = '5.1: every request must carry the header Authorization: Bearer <API_KEY>'
const INVALID = '5.5: a missing or invalid key yields 401 with error code UNAUTHORIZED'
const LACKING = '5.5: a valid key lacking the permission yields 403 with error code FORBIDDEN'
const TABLE = '5.4: what each permission allows'
const ROTATED = '5.6: keys can be rotated by revoking old ones'
const SHAPE = '7: an error body is a JSON object with error, which holds code and message'

const ROUTE_NAMES = ['listModels', 'getModel', 'runModel', 'getJob', 'cancelJob'] as const

/** Takes requests with such a header for authorized. */
function takes(
  isTaken: (header: string, key: string, request: WireRequest) => boolean,
  ...routes: RouteName[]
): Mutation {
  return {
    wrap: (send, server) => (request) => {
      const isWanted = routes.length === 0 || routes.some((route) => isFor(request, route))
      if (isWanted && isTaken(request.authorization ?? '', server.apiKey, request))
        request.authorization = `Bearer ${server.apiKey}`
      return send(request)
    },
  }
}

/** Rejects a key that has the permission of the endpoint, for lack of another one. */
function needs(route: RouteName, lacking: keyof Keys): Mutation {
  return {
    wrap: (send, _, keys) => async (request) => {
      const response = await send(request)
      if (isFor(request, route) && request.authorization === `Bearer ${keys[lacking]}`) {
        response.status = 403
        response.json = { error: { code: 'FORBIDDEN', message: 'No.' } }
      }
      return response
    },
  }
}

/** Performs a rejected request, and still returns the rejection. */
function actsAnyway(route: RouteName, code: number, name?: keyof Keys): Mutation {
  return {
    wrap: (send, server, keys) => async (request) => {
      const response = await send(request)
      const isOfKey = name === undefined || request.authorization === `Bearer ${keys[name]}`
      if (isFor(request, route) && isOfKey && response.status === code)
        await send({ ...request, authorization: `Bearer ${server.apiKey}` })
      return response
    },
  }
}

const rejected = (route: RouteName, code: number, ...edits: Edit[]) => edited(route, when(hasCode(code), ...edits))

/** Keys that are almost right, keys at other places, permissions over endpoints. */
export const KEY_MUTANTS = mutants([
  [INVALID, 'takes a key with more characters', takes((header, key) => header.startsWith(`Bearer ${key}`))],
  [
    INVALID,
    'takes a key with fewer characters',
    takes((header, key) => header.length > 20 && `Bearer ${key}`.startsWith(header)),
  ],
  [
    INVALID,
    'takes a key in other letter case',
    takes((header, key) => header.toLowerCase() === `bearer ${key.toLowerCase()}`),
    'auth/invalid-key',
  ],
  [INVALID, 'takes every key with the prefix of test keys', takes((header) => header.startsWith('Bearer sk_test_'))],
  [INVALID, 'takes every key with the prefix of live keys', takes((header) => header.startsWith('Bearer sk_live_'))],
  [INVALID, 'takes an empty key', takes((header) => /^Bearer ?$/.test(header))],
  [HEADER, 'takes a key without a scheme', takes((header, key) => header === key)],
  [HEADER, 'takes a key of the scheme Token', takes((header, key) => header === `Token ${key}`)],
  [
    HEADER,
    'takes a key in x-api-key',
    takes((header, key, { init }) => header === '' && new Headers(init.headers).get('x-api-key') === key),
    'auth/missing-key',
  ],
  [
    HEADER,
    'takes a key in the query',
    takes((header, key, { url }) => header === '' && removeKeys(url, key)),
    'auth/key-in-query',
  ],
  ...ROUTE_NAMES.map(
    (route): Row => [INVALID, `takes any key for ${route}`, takes((header) => header.startsWith('Bearer sk_'), route)],
  ),
  ...ROUTE_NAMES.map(
    (route): Row => [INVALID, `responds 403 to an invalid key for ${route}`, rejected(route, 401, status(403))],
  ),
  [INVALID, 'looks for the model before the key', edited('getModel', when(hasCode(401), status(404)))],
  [INVALID, 'looks for the job before the key', edited('getJob', when(hasCode(401), status(404)))],
  [INVALID, 'reads the body before the key', edited('runModel', when(hasCode(401), status(400)))],
  [
    INVALID,
    'sends those without a key to a login page',
    edited('listModels', when(hasCode(401), status(302))),
    'errors/every-response',
  ],
  ...ROUTE_NAMES.map(
    (route): Row => [
      INVALID,
      `has the code in small letters for ${route}`,
      rejected(route, 401, put('/error/code', 'unauthorized')),
    ],
  ),
  ...ROUTE_NAMES.map(
    (route): Row => [
      SHAPE,
      `has a text as the error of a 401 for ${route}`,
      rejected(route, 401, put('/error', 'UNAUTHORIZED')),
    ],
  ),
  ...ROUTE_NAMES.map(
    (route): Row => [SHAPE, `has no message in a 401 for ${route}`, rejected(route, 401, take('/error/message'))],
  ),
  [SHAPE, 'responds 401 with a page', edited('listModels', when(hasCode(401), raw('<h1>No</h1>')))],
  [SHAPE, 'responds 401 with nothing', edited('getJob', when(hasCode(401), raw('', 'application/json')))],
  [SHAPE, 'calls a 401 a text', edited('getModel', when(hasCode(401), contentType('text/plain'))), 'errors/every-json'],
  [
    INVALID,
    'has another code for a run without a key',
    edited(
      'runModel',
      when((_, { authorization }) => authorization === null, put('/error/code', 'NO_KEY')),
    ),
    'auth/missing-key-code',
  ],
  [
    INVALID,
    'has another code for a cancel with an invalid key',
    rejected('cancelJob', 401, (response, request) => {
      if (request.authorization !== null) put('/error/code', 'BAD_KEY')(response, request)
    }),
    'auth/invalid-key-code',
  ],
  [ROTATED, 'takes a revoked key for details', revoked('getModel'), 'auth/revoked-key'],
  [ROTATED, 'takes a revoked key for jobs', revoked('getJob')],
  [ROTATED, 'takes a revoked key for runs', revoked('runModel')],
  [ROTATED, 'takes a revoked key for cancels', revoked('cancelJob'), 'auth/revoked-key'],
  [INVALID, 'cancels a job without a key, and responds 401', actsAnyway('cancelJob', 401), 'jobs/every-end'],
  [LACKING, 'cancels a job without the permission, and responds 403', actsAnyway('cancelJob', 403)],
  [
    LACKING,
    'cancels a job with a key that only reads, and responds 403',
    actsAnyway('cancelJob', 403, 'read-only'),
    'jobs/every-end',
  ],
  ...ROUTE_NAMES.map(
    (route): Row => [
      LACKING,
      `has another code without the permission for ${route}`,
      rejected(route, 403, put('/error/code', 'PERMISSION_DENIED')),
    ],
  ),
  ...ROUTE_NAMES.map(
    (route): Row => [LACKING, `responds 404 without the permission for ${route}`, rejected(route, 403, status(404))],
  ),
  ...ROUTE_NAMES.map(
    (route): Row => [
      SHAPE,
      `has an array as the error of a 403 for ${route}`,
      rejected(route, 403, put('/error', ['FORBIDDEN'])),
    ],
  ),
  [
    SHAPE,
    'has no message in a 403',
    edited('runModel', when(hasCode(403), take('/error/message'))),
    'errors/every-error',
  ],
  [SHAPE, 'responds 403 with nothing', edited('getModel', when(hasCode(403), raw('', 'text/plain')))],
  [TABLE, 'lists models with models:run only', needs('listModels', 'without-models-run')],
  [TABLE, 'lists models with jobs:read only', needs('listModels', 'without-jobs-read'), 'permissions/others-remain'],
  [TABLE, 'shows models with models:run only', needs('getModel', 'without-models-run')],
  [TABLE, 'shows models with jobs:write only', needs('getModel', 'without-jobs-write'), 'permissions/others-remain'],
  [TABLE, 'runs models with models:read only', needs('runModel', 'without-models-read')],
  [TABLE, 'runs models with jobs:read only', needs('runModel', 'without-jobs-read'), 'permissions/others-remain'],
  [
    TABLE,
    'runs models with webhooks:manage only',
    needs('runModel', 'without-webhooks-manage'),
    'webhooks/nothing-when-rejected',
  ],
  [TABLE, 'shows jobs with jobs:write only', needs('getJob', 'without-jobs-write'), 'permissions/others-remain'],
  [TABLE, 'shows jobs with models:run only', needs('getJob', 'without-models-run')],
  [TABLE, 'shows jobs with models:read only', needs('getJob', 'without-models-read')],
  [TABLE, 'cancels jobs with models:run only', needs('cancelJob', 'without-models-run')],
  [TABLE, 'cancels jobs with jobs:read only', needs('cancelJob', 'without-jobs-read'), 'permissions/others-remain'],
  [TABLE, 'cancels jobs with webhooks:manage only', needs('cancelJob', 'without-webhooks-manage')],
])
