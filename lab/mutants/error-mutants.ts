import { ROUTES, type RouteName } from '@modelrun/contract'
import { isProviderFailure } from '../../packages/conformance/src/judges/world.ts'
import { type Changes, contentType, hasCode, isError, put, raw, responsesOf, run } from './edits.ts'
import type { Mutants, Mutation } from './mutation.ts'

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

const corrupted = (errors: Changes, what: string): Record<string, Mutation> => ({
  [`has a text as the error for ${what}`]: errors.put('/error', 'no'),
  [`has the code beside the error for ${what}`]: errors.put('', ({ error }: { error: object }) => ({ ...error })),
  [`has no code for ${what}`]: errors.take('/error/code'),
  [`has no message for ${what}`]: errors.take('/error/message'),
  [`has a number as the code for ${what}`]: errors.put('/error/code', 404),
  [`has a list of messages for ${what}`]: errors.put('/error/message', ['no']),
})

function atEach(breaks: string, mutate: (errors: Changes) => Mutation): Record<string, Mutation> {
  const routes = Object.keys(ROUTES) as RouteName[] // the keys of the constant
  return Object.fromEntries(routes.map((route) => [`${breaks} ${route}`, mutate(responsesOf(route).where(isError))]))
}

/** The bodies of errors of every kind. */
export const ERROR_MUTANTS: Mutants = {
  'errors/every-error': {
    'responds to a failed run with 502 and no message': run
      .where(({ json }) => isProviderFailure(json))
      .edit(put('/error/message', undefined), (response) => void Object.assign(response, { status: 502 })),
    ...Object.assign(
      {},
      ...REJECTED.map(([what, route, code]) => corrupted(responsesOf(route).where(hasCode(code)), what)),
    ),
    ...atEach('responds with a page to errors of', (errors) => errors.edit(raw('<h1>Error</h1>'))),
  },
  'errors/every-json': {
    ...atEach('calls pages the errors of', (errors) => errors.edit(contentType('text/html'))),
  },
}
