import type { RouteName } from '@modelrun/contract'
import { contentType, hasCode, instead, raw } from './edits.ts'
import {
  editResponses,
  type Edit,
  isFor,
  type Keys,
  sentenceMutant,
  type Mutant,
  type Mutation,
  put,
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

/** Does what was asked, and answers as if it had not. */
function actsAnyway(route: RouteName, code: number): Mutation {
  return instead(
    (request) => isFor(request, route),
    async (request, send, server) => {
      const response = await send(request)
      if (response.status === code) await send({ ...request, authorization: `Bearer ${server.apiKey}` })
      return response
    },
  )
}

const rejected = (route: RouteName, code: number, ...edits: Edit[]) => editResponses(route, when(hasCode(code), ...edits))

/** Keys that are almost right, keys at other places, permissions over endpoints. */
export const KEY_MUTANTS: readonly Mutant[] = [
  sentenceMutant(
    INVALID,
    'takes a key with more characters',
    takes((header, key) => header.startsWith(`Bearer ${key}`)),
  ),
  sentenceMutant(
    INVALID,
    'takes a key with fewer characters',
    takes((header, key) => header.length > 20 && `Bearer ${key}`.startsWith(header)),
  ),
  sentenceMutant(
    INVALID,
    'takes a key in other letter case',
    takes((header, key) => header.toLowerCase() === `bearer ${key.toLowerCase()}`),
    'auth/almost-the-key',
  ),
  sentenceMutant(
    INVALID,
    'takes every key with the prefix of test keys',
    takes((header) => header.startsWith('Bearer sk_test_')),
  ),
  sentenceMutant(
    INVALID,
    'takes every key with the prefix of live keys',
    takes((header) => header.startsWith('Bearer sk_live_')),
  ),
  sentenceMutant(
    INVALID,
    'takes an empty key',
    takes((header) => /^Bearer ?$/.test(header)),
  ),
  sentenceMutant(
    HEADER,
    'takes a key without a scheme',
    takes((header, key) => header === key),
  ),
  sentenceMutant(
    HEADER,
    'takes a key of the scheme Token',
    takes((header, key) => header === `Token ${key}`),
  ),
  sentenceMutant(
    HEADER,
    'takes a key in x-api-key',
    takes((header, key, { init }) => header === '' && new Headers(init.headers).get('x-api-key') === key),
    'auth/key-elsewhere',
  ),
  sentenceMutant(
    HEADER,
    'takes a key in the query',
    takes((header, key, { url }) => header === '' && removeKeys(url, key)),
    'auth/key-in-query',
  ),
  ...ROUTE_NAMES.map((route) =>
    sentenceMutant(
      INVALID,
      `takes any key for ${route}`,
      takes((header) => header.startsWith('Bearer sk_'), route),
    ),
  ),
  ...ROUTE_NAMES.map((route) =>
    sentenceMutant(INVALID, `responds 403 to an invalid key for ${route}`, rejected(route, 401, status(403))),
  ),
  sentenceMutant(INVALID, 'looks for the model before the key', editResponses('getModel', when(hasCode(401), status(404)))),
  sentenceMutant(INVALID, 'looks for the job before the key', editResponses('getJob', when(hasCode(401), status(404)))),
  sentenceMutant(INVALID, 'reads the body before the key', editResponses('runModel', when(hasCode(401), status(400)))),
  sentenceMutant(INVALID, 'sends those without a key to a login page', editResponses('listModels', when(hasCode(401), status(302)))),
  ...ROUTE_NAMES.map((route) =>
    sentenceMutant(
      INVALID,
      `has the code in small letters for ${route}`,
      rejected(route, 401, put('/error/code', 'unauthorized')),
    ),
  ),
  ...ROUTE_NAMES.map((route) =>
    sentenceMutant(SHAPE, `has a text as the error of a 401 for ${route}`, rejected(route, 401, put('/error', 'UNAUTHORIZED'))),
  ),
  ...ROUTE_NAMES.map((route) =>
    sentenceMutant(SHAPE, `has no message in a 401 for ${route}`, rejected(route, 401, take('/error/message'))),
  ),
  sentenceMutant(SHAPE, 'responds 401 with a page', editResponses('listModels', when(hasCode(401), raw('<h1>No</h1>')))),
  sentenceMutant(SHAPE, 'responds 401 with nothing', editResponses('getJob', when(hasCode(401), raw('', 'application/json')))),
  sentenceMutant(
    SHAPE,
    'calls a 401 a text',
    editResponses('getModel', when(hasCode(401), contentType('text/plain'))),
    'errors/every-json',
  ),
  sentenceMutant(
    INVALID,
    'has another code for a run without a key',
    editResponses(
      'runModel',
      when((_, { authorization }) => authorization === null, put('/error/code', 'NO_KEY')),
    ),
    'auth/missing-key-code-of-writes',
  ),
  sentenceMutant(
    INVALID,
    'has another code for a cancel with an invalid key',
    rejected('cancelJob', 401, (response, request) => {
      if (request.authorization !== null) put('/error/code', 'BAD_KEY')(response, request)
    }),
    'auth/invalid-key-code-of-writes',
  ),
  sentenceMutant(ROTATED, 'takes a revoked key for details', revoked('getModel'), 'auth/revoked-key-reads'),
  sentenceMutant(ROTATED, 'takes a revoked key for jobs', revoked('getJob')),
  sentenceMutant(ROTATED, 'takes a revoked key for runs', revoked('runModel')),
  sentenceMutant(ROTATED, 'takes a revoked key for cancels', revoked('cancelJob'), 'auth/revoked-key-writes'),
  sentenceMutant(
    INVALID,
    'cancels a job without a key, and responds 401',
    actsAnyway('cancelJob', 401),
    'cancel/rejected-does-nothing',
  ),
  sentenceMutant(LACKING, 'cancels a job without the permission, and responds 403', actsAnyway('cancelJob', 403)),
  ...ROUTE_NAMES.map((route) =>
    sentenceMutant(
      LACKING,
      `has another code without the permission for ${route}`,
      rejected(route, 403, put('/error/code', 'PERMISSION_DENIED')),
    ),
  ),
  ...ROUTE_NAMES.map((route) =>
    sentenceMutant(LACKING, `responds 404 without the permission for ${route}`, rejected(route, 403, status(404))),
  ),
  ...ROUTE_NAMES.map((route) =>
    sentenceMutant(SHAPE, `has an array as the error of a 403 for ${route}`, rejected(route, 403, put('/error', ['FORBIDDEN']))),
  ),
  sentenceMutant(
    SHAPE,
    'has no message in a 403',
    editResponses('runModel', when(hasCode(403), take('/error/message'))),
    'errors/every-error',
  ),
  sentenceMutant(SHAPE, 'responds 403 with nothing', editResponses('getModel', when(hasCode(403), raw('', 'text/plain')))),
  sentenceMutant(TABLE, 'lists models with models:run only', needs('listModels', 'without-models-run')),
  sentenceMutant(TABLE, 'lists models with jobs:read only', needs('listModels', 'without-jobs-read'), 'permissions/others-list'),
  sentenceMutant(TABLE, 'shows models with models:run only', needs('getModel', 'without-models-run')),
  sentenceMutant(TABLE, 'shows models with jobs:write only', needs('getModel', 'without-jobs-write'), 'permissions/others-view'),
  sentenceMutant(TABLE, 'runs models with models:read only', needs('runModel', 'without-models-read')),
  sentenceMutant(TABLE, 'runs models with jobs:read only', needs('runModel', 'without-jobs-read'), 'permissions/others-run'),
  sentenceMutant(TABLE, 'runs models with webhooks:manage only', needs('runModel', 'without-webhooks-manage')),
  sentenceMutant(TABLE, 'shows jobs with jobs:write only', needs('getJob', 'without-jobs-write'), 'permissions/others-read'),
  sentenceMutant(TABLE, 'shows jobs with models:run only', needs('getJob', 'without-models-run')),
  sentenceMutant(TABLE, 'shows jobs with models:read only', needs('getJob', 'without-models-read')),
  sentenceMutant(TABLE, 'cancels jobs with models:run only', needs('cancelJob', 'without-models-run')),
  sentenceMutant(TABLE, 'cancels jobs with jobs:read only', needs('cancelJob', 'without-jobs-read'), 'permissions/others-cancel'),
  sentenceMutant(TABLE, 'cancels jobs with webhooks:manage only', needs('cancelJob', 'without-webhooks-manage')),
]

function revoked(route: RouteName): Mutation {
  return {
    wrap: (send, server, keys) => (request) => {
      if (isFor(request, route) && request.authorization === `Bearer ${keys.revoked}`)
        request.authorization = `Bearer ${server.apiKey}`
      return send(request)
    },
  }
}

/** Takes the key out of the query, which the server would reject; false when it is not there. */
function removeKeys({ searchParams }: URL, key: string): boolean {
  const names = [...searchParams].filter(([, value]) => value === key).map(([name]) => name)
  for (const name of names) searchParams.delete(name)
  return names.length > 0
}
