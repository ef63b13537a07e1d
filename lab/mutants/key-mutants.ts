import { ROUTES, type RouteName } from '@modelrun/contract'
import {
  type Changes,
  cancel,
  changes,
  contentType,
  details,
  type Edit,
  hasCode,
  isSuccess,
  job,
  list,
  raw,
  responsesOf,
  run,
} from './edits.ts'
import { after, before, isFor, type Keys, type Mutants, type Mutation, type WireRequest } from './mutation.ts'

const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[] // the keys of the constant

/** Takes requests with such a header for authorized, at all endpoints or at one. */
function takes(isTaken: (header: string, key: string, request: WireRequest) => boolean, route?: RouteName): Mutation {
  return before((request, { server: { apiKey } }) => {
    const isWanted = route === undefined || isFor(request, route)
    if (isWanted && isTaken(request.authorization ?? '', apiKey, request)) request.authorization = `Bearer ${apiKey}`
  })
}

const anything = () => true
const nothing = (header: string) => header === ''

/** Removes the key from the query, which the server would reject; false when the query has none. */
function removeKeys({ searchParams }: URL, key: string): boolean {
  const names = [...searchParams].filter(([, value]) => value === key).map(([name]) => name)
  for (const name of names) searchParams.delete(name)
  return names.length > 0
}

const hasKey = ({ authorization }: WireRequest, key: string | undefined) => authorization === `Bearer ${key}`

function takesRevoked(route: RouteName): Mutation {
  return before((request, { server, keys }) => {
    if (isFor(request, route) && hasKey(request, keys.revoked)) request.authorization = `Bearer ${server.apiKey}`
  })
}

/** The responses to requests with a special key. */
const ofKey = (name: keyof Keys) =>
  changes((edit) => after((response, request, { keys }) => hasKey(request, keys[name]) && edit(response, request)))

const rejects: Edit = (response) =>
  Object.assign(response, { status: 403, json: { error: { code: 'FORBIDDEN', message: 'No.' } } })

/** Rejects a key that has the permission of the endpoint, for lack of another one. */
const needs = (route: RouteName, lacking: keyof Keys) =>
  ofKey(lacking)
    .where((_, request) => isFor(request, route))
    .edit(rejects)

function rejectsNowAndThen(): Mutation {
  let sent = 0
  return list.where(isSuccess).edit((response, request) => ++sent % 9 === 0 && rejects(response, request))
}

const rejectsLimitedKeys = () =>
  after((response, request, { server }) => {
    if (!hasKey(request, server.apiKey)) response.status = 403
  })

/** Performs a rejected request, and still returns the rejection. */
function actsAnyway(route: RouteName, code: number, name?: keyof Keys): Mutation {
  return after(async (response, request, { send, server, keys }) => {
    const isOfKey = name === undefined || hasKey(request, keys[name])
    if (isFor(request, route) && isOfKey && response.status === code)
      await send({ ...request, authorization: `Bearer ${server.apiKey}` })
  })
}

/** A mutant for each endpoint. */
function atEach(breaks: string, mutate: (responses: Changes, route: RouteName) => Mutation) {
  return Object.fromEntries(ROUTE_NAMES.map((route) => [`${breaks} for ${route}`, mutate(responsesOf(route), route)]))
}

/** Keys, keys that are almost right, keys at other places, and permissions. */
export const KEY_MUTANTS: Mutants = {
  'models/every-list': {
    'rejects a valid key of a request without a query': list.where((_, { url }) => url.search === '').status(403),
  },
  'auth/missing-key': {
    'lists models for anybody': takes(nothing, 'listModels'),
    'shows a model to anybody': takes(nothing, 'getModel'),
    'shows a job to anybody': takes(nothing, 'getJob'),
    'runs models for anybody': takes(nothing, 'runModel'),
    'cancels jobs for anybody': takes(nothing, 'cancelJob'),
    'responds with 403 without a key': list.where(hasCode(401)).status(403),
    'takes a key in any scheme': takes((header) => header.startsWith('Basic')),
    'takes an empty key': takes((header) => /^Bearer ?$/.test(header)),
    'takes a key without a scheme': takes((header, key) => header === key),
    'takes a key of the scheme Token': takes((header, key) => header === `Token ${key}`),
    'takes a key in x-api-key': takes(
      (header, key, { init }) => header === '' && new Headers(init.headers).get('x-api-key') === key,
    ),
  },
  'auth/missing-key-code': {
    'has another code for a missing key': job.put('/error/code', 'UNAUTHENTICATED'),
    'has another code for a run without a key': run
      .where((_, { authorization }) => authorization === null)
      .put('/error/code', 'NO_KEY'),
  },
  'auth/invalid-key': {
    ...atEach('takes any key', (_, route) => takes((header) => header.startsWith('Bearer sk_'), route)),
    ...atEach('responds 403 to an invalid key', (all) => all.where(hasCode(401)).status(403)),
    'takes any key for reading': takes(anything, 'getModel'),
    'takes any key for cancels': takes(anything, 'cancelJob'),
    'takes a key with more characters': takes((header, key) => header.startsWith(`Bearer ${key}`)),
    'takes a key with fewer characters': takes(
      (header, key) => header.length > 20 && `Bearer ${key}`.startsWith(header),
    ),
    'takes a key in other letter case': takes((header, key) => header.toLowerCase() === `bearer ${key.toLowerCase()}`),
    'takes every key with the prefix of test keys': takes((header) => header.startsWith('Bearer sk_test_')),
    'takes every key with the prefix of live keys': takes((header) => header.startsWith('Bearer sk_live_')),
    'looks for the model before the key': details.where(hasCode(401)).status(404),
    'looks for the job before the key': job.where(hasCode(401)).status(404),
    'reads the body before the key': run.where(hasCode(401)).status(400),
  },
  'auth/invalid-key-code': {
    ...atEach('has the code in small letters', (all) => all.where(hasCode(401)).put('/error/code', 'unauthorized')),
    'has another code for an invalid key': list.put('/error/code', 'INVALID_KEY'),
    'responds 401 with a page': list.where(hasCode(401)).edit(raw('<h1>No</h1>')),
    'responds 401 with nothing': job.where(hasCode(401)).edit(raw('', 'application/json')),
    'has another code for a cancel with an invalid key': cancel
      .where((_, { authorization }) => authorization !== null)
      .where(hasCode(401))
      .put('/error/code', 'BAD_KEY'),
  },
  'auth/revoked-key': {
    'takes a revoked key': takes(anything, 'listModels'),
    'takes a revoked key for details': takesRevoked('getModel'),
    'takes a revoked key for jobs': takesRevoked('getJob'),
    'takes a revoked key for runs': takesRevoked('runModel'),
    'takes a revoked key for cancels': takesRevoked('cancelJob'),
  },
  'auth/revoked-key-code': {
    'has another code for a revoked key': ofKey('revoked').put('/error/code', 'REVOKED'),
  },
  'auth/key-prefix': {
    'gives out keys with another prefix': {
      ...takes(anything, 'listModels'),
      options: () => ({ apiKey: 'pk_conformance' }),
    },
  },
  'permissions/lacking': {
    ...atEach('has another code without the permission', (all) => all.where(hasCode(403)).put('/error/code', 'DENIED')),
    ...atEach('responds 404 without the permission', (all) => all.where(hasCode(403)).status(404)),
    'lists models without models:read': takes(anything, 'listModels'),
    'shows models without models:read': takes(anything, 'getModel'),
    'runs models without models:run': takes(anything, 'runModel'),
    'shows jobs without jobs:read': takes(anything, 'getJob'),
    'cancels jobs without jobs:write': takes((header) => header !== '', 'cancelJob'),
    'responds with 401 without the permission': list.where(hasCode(403)).status(401),
    'has another code for a lacking permission': run.put('/error/code', 'UNAUTHORIZED'),
    'responds 403 with nothing': details.where(hasCode(403)).edit(raw('', 'text/plain')),
  },
  'permissions/others-remain': {
    'rejects everything to a key that lacks one permission': rejectsLimitedKeys(),
    'lists models with models:run only': needs('listModels', 'without-models-run'),
    'lists models with jobs:read only': needs('listModels', 'without-jobs-read'),
    'shows models with models:run only': needs('getModel', 'without-models-run'),
    'shows models with jobs:write only': needs('getModel', 'without-jobs-write'),
    'runs models with jobs:read only': needs('runModel', 'without-jobs-read'),
    'shows jobs with jobs:write only': needs('getJob', 'without-jobs-write'),
    'shows jobs with models:run only': needs('getJob', 'without-models-run'),
    'shows jobs with models:read only': needs('getJob', 'without-models-read'),
    'cancels jobs with models:run only': needs('cancelJob', 'without-models-run'),
    'cancels jobs with jobs:read only': needs('cancelJob', 'without-jobs-read'),
    'cancels jobs with webhooks:manage only': needs('cancelJob', 'without-webhooks-manage'),
  },
  'auth/key-in-query': {
    'takes a key in the query': takes((header, key, { url }) => header === '' && removeKeys(url, key)),
  },
  'errors/every-response': {
    'sends those without a key to a login page': list.where(hasCode(401)).status(302),
  },
  'errors/every-json': {
    'calls a 401 a text': details.where(hasCode(401)).edit(contentType('text/plain')),
  },
  'jobs/every-end': {
    'cancels a job without a key, and responds 401': actsAnyway('cancelJob', 401),
    'cancels a job with a key that only reads, and responds 403': actsAnyway('cancelJob', 403, 'read-only'),
  },
  'cancel/every-cancel': {
    'cancels a job without the permission, and responds 403': actsAnyway('cancelJob', 403),
  },
  'errors/every-error': {
    ...atEach('has a text as the error of a 401', (all) => all.where(hasCode(401)).put('/error', 'UNAUTHORIZED')),
    ...atEach('has no message in a 401', (all) => all.where(hasCode(401)).take('/error/message')),
    ...atEach('has an array as the error of a 403', (all) => all.where(hasCode(403)).put('/error', ['FORBIDDEN'])),
    'has no message in a 403': run.where(hasCode(403)).take('/error/message'),
  },
  'webhooks/nothing-when-rejected': {
    'runs models with models:read only': needs('runModel', 'without-models-read'),
    'runs models with webhooks:manage only': needs('runModel', 'without-webhooks-manage'),
  },
  'auth/right-key': {
    'rejects the right key now and then': rejectsNowAndThen(),
  },
}
