import type { ReferenceServer } from '@modelrun/reference-server'
import { edited, editRequests, type Mutation, mutants, put, status, type WireRequest, when } from './mutation.ts'

type Endpoint = Parameters<typeof editRequests>[0]

const notOf = (server: ReferenceServer, { authorization }: WireRequest) => authorization !== `Bearer ${server.apiKey}`
const isMissing = ({ authorization }: WireRequest) => authorization === null

/** Takes any request for one with the key that has all rights. */
function trusting(route: Endpoint, isTrusted: (request: WireRequest) => boolean = () => true): Mutation {
  return editRequests(route, (request, server) => {
    if (isTrusted(request)) request.authorization = `Bearer ${server.apiKey}`
  })
}

function rejectsLimitedKeys(): Mutation {
  return {
    wrap: (send, server) => async (request) => {
      const response = await send(request)
      if (notOf(server, request)) response.status = 403
      return response
    },
  }
}

function hasCodeOfRevoked(): Mutation {
  return {
    wrap: (send, _, keys) => async (request) => {
      const response = await send(request)
      if (request.authorization === `Bearer ${keys.revoked}`) put('/error/code', 'REVOKED')(response, request)
      return response
    },
  }
}

/** Keys and permissions. */
export const AUTH_MUTANTS = mutants([
  [
    'models/every-list',
    'rejects a valid key of a request without a query',
    edited(
      'listModels',
      when((_, { url }) => url.search === '', status(403)),
    ),
  ],
  ['auth/missing-key', 'lists models for anybody', trusting('listModels', isMissing)],
  ['auth/missing-key', 'shows a model to anybody', trusting('getModel', isMissing)],
  ['auth/missing-key', 'shows a job to anybody', trusting('getJob', isMissing)],
  ['auth/missing-key', 'runs models for anybody', trusting('runModel', isMissing)],
  ['auth/missing-key', 'cancels jobs for anybody', trusting('cancelJob', isMissing)],
  [
    'auth/missing-key',
    'responds with 403 without a key',
    edited(
      'listModels',
      when(({ status: code }) => code === 401, status(403)),
    ),
  ],
  [
    'auth/missing-key-code',
    'has another code for a missing key',
    edited('getJob', put('/error/code', 'UNAUTHENTICATED')),
  ],
  ['auth/invalid-key', 'takes any key for reading', trusting('getModel')],
  ['auth/invalid-key', 'takes any key for cancels', trusting('cancelJob')],
  [
    'auth/invalid-key-code',
    'has another code for an invalid key',
    edited('listModels', put('/error/code', 'INVALID_KEY')),
  ],
  [
    'auth/missing-key',
    'takes a key in any scheme',
    {
      wrap:
        (send, { apiKey }) =>
        (request) => {
          const isBasic = request.authorization?.startsWith('Basic')
          return send(isBasic ? { ...request, authorization: `Bearer ${apiKey}` } : request)
        },
    },
  ],
  ['auth/revoked-key', 'takes a revoked key', trusting('listModels')],
  ['auth/revoked-key-code', 'has another code for a revoked key', hasCodeOfRevoked()],
  [
    'auth/key-prefix',
    'gives out keys with another prefix',
    {
      ...trusting('listModels'),
      options: () => ({ apiKey: 'pk_conformance' }),
    },
  ],
  ['permissions/lacking', 'lists models without models:read', trusting('listModels')],
  ['permissions/lacking', 'shows models without models:read', trusting('getModel')],
  ['permissions/lacking', 'runs models without models:run', trusting('runModel')],
  ['permissions/lacking', 'shows jobs without jobs:read', trusting('getJob')],
  ['permissions/lacking', 'cancels jobs without jobs:write', trusting('cancelJob', (request) => !isMissing(request))],
  [
    'permissions/lacking',
    'responds with 401 without the permission',
    edited(
      'listModels',
      when(({ status: code }) => code === 403, status(401)),
    ),
  ],
  [
    'permissions/lacking',
    'has another code for a lacking permission',
    edited('runModel', put('/error/code', 'UNAUTHORIZED')),
  ],
  ['permissions/others-remain', 'rejects everything to a key that lacks one permission', rejectsLimitedKeys()],
])
