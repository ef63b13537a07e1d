import { ROUTES, type RouteName } from '@modelrun/contract'
import { at } from '../../packages/conformance/src/json.ts'
import { contentType, hasCode, raw } from './edits.ts'
import { type Edit, edited, mutants, put, type Row, status, take, when } from './mutation.ts'

const SHAPE = '7: an error body is a JSON object with error, which holds code (string) and message (string)'
const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[]

/** What the server rejects, with the status that it has for it. */
const REJECTED: readonly [string, RouteName, number][] = [
  ['an unknown model', 'getModel', 404],
  ['a run of an unknown model', 'runModel', 404],
  ['an unknown job', 'getJob', 404],
  ['the cancel of an unknown job', 'cancelJob', 404],
  ['a wrong input', 'runModel', 400],
  ['an account without credits', 'runModel', 402],
  ['the cancel of a finished job', 'cancelJob', 409],
]

const CORRUPTED: readonly [string, Edit][] = [
  ['a text as the error', put('/error', 'no')],
  ['the code beside the error', put('', (body: { error: object }) => ({ ...body.error, error: 'no' }))],
  ['no code', take('/error/code')],
  ['no message', take('/error/message')],
  ['a number as the code', put('/error/code', 404)],
  ['a list of messages', put('/error/message', ['no'])],
]

const isError = ({ status }: { status: number }) => status >= 400 && status < 500

/** The bodies of errors of every kind. */
export const ERROR_MUTANTS = mutants([
  [
    SHAPE,
    'responds to a failed run with 502 and no message',
    edited(
      'runModel',
      when(({ json }) => at(json, '/error/code') === 'PROVIDER_FAILURE', status(502), take('/error/message')),
    ),
    'errors/every-error',
  ],
  ...REJECTED.flatMap(([what, route, code]) =>
    CORRUPTED.map(([how, edit]): Row => [SHAPE, `has ${how} for ${what}`, edited(route, when(hasCode(code), edit))]),
  ),
  ...ROUTE_NAMES.map(
    (route): Row => [
      '1: the interface is an HTTP JSON API',
      `calls errors of ${route} a page`,
      edited(route, when(isError, contentType('text/html'))),
    ],
  ),
  ...ROUTE_NAMES.map(
    (route): Row => [
      SHAPE,
      `responds to errors of ${route} with a page`,
      edited(route, when(isError, raw('<h1>Error</h1>'))),
    ],
  ),
])
