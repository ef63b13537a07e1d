import { expect, it } from 'vitest'
import { type FaultRoute, type RoutedRequest, routeMatcher, routeProblem } from './fault-route.ts'

const run: RoutedRequest = { endpoint: 'runModel', method: 'POST', path: '/v1/models/northlight%2Fretouch/run' }
const poll: RoutedRequest = { endpoint: 'getJob', method: 'GET', path: '/v1/jobs/job_1' }
const cancel: RoutedRequest = { endpoint: 'cancelJob', method: 'DELETE', path: '/v1/jobs/job_1' }
const requests = { run, poll, cancel }

it.each<[FaultRoute, (keyof typeof requests)[]]>([
  ['runModel', ['run']],
  ['getFile', []],
  ['POST /v1/models/*/run', ['run']],
  ['POST /v1/models/{model}/run', ['run']],
  ['POST /v1/models/northlight/retouch/run', ['run']],
  ['POST /v1/models/northlight%2fretouch/run', ['run']],
  ['POST /v1/models/northlight/*/run', ['run']],
  ['POST /v1/models/n*/re*h/run', ['run']],
  ['POST /v1/models/aurora-image/run', []],
  ['GET /v1/jobs/*', ['poll']],
  ['GET /v1/jobs/job_1', ['poll']],
  ['GET /v1/jobs/job_2', []],
  ['* /v1/jobs/*', ['poll', 'cancel']],
])('%s means %j', (route, expected) => {
  expect(routeProblem(route)).toBeUndefined()
  const isMeant = routeMatcher(route)
  const meant = Object.entries(requests).filter(([, request]) => isMeant(request))
  expect(meant.map(([name]) => name)).toEqual(expected)
})

it.each([
  ['runModle', '/route: there is no route "runModle". A route may be runModel, or a method and a path such as'],
  ['PUT /v1/jobs/*', '/route: there is no route "PUT /v1/jobs/*". A route is one of listModels, getModel, runModel,'],
  ['/v1/jobs/*', '/route: there is no route "/v1/jobs/*".'],
  [
    'POST /v1/jobs/*',
    '/route: no request can be "POST /v1/jobs/*", where a * is one segment. There are: GET /v1/models,',
  ],
  ['GET /v1/*/*/*', '/route: no request can be "GET /v1/*/*/*"'],
])('says what is wrong with %s', (route, message) => {
  expect(routeProblem(route)).toContain(message)
})
