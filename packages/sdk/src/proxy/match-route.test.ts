import { describe, expect, test } from 'vitest'
import { matchRoute } from './match-route.ts'

describe('the routes of a proxy (section 4)', () => {
  test.each([
    ['GET', '/v1/models', { name: 'listModels' }],
    ['GET', '/v1/models/', { name: 'listModels' }],
    ['POST', '/v1/models/lumen%2faurora/run/', { name: 'runModel', model: 'lumen/aurora' }],
    ['DELETE', '/v1/jobs/v1~1~a~b/', { name: 'cancelJob', token: 'v1~1~a~b' }],
    ['GET', '/v1/models/aurora-image', { name: 'getModel', model: 'aurora-image' }],
    ['GET', '/v1/models/lumen%2Faurora', { name: 'getModel', model: 'lumen/aurora' }],
    ['GET', '/v1/models/lumen/aurora', { name: 'getModel', model: 'lumen/aurora' }],
    ['GET', '/v1/models/lumen/run', { name: 'getModel', model: 'lumen/run' }],
    ['POST', '/v1/models/lumen%2Faurora/run', { name: 'runModel', model: 'lumen/aurora' }],
    ['POST', '/v1/models/lumen/aurora/run', { name: 'runModel', model: 'lumen/aurora' }],
    ['GET', '/v1/jobs/v1~1~a~b', { name: 'getJob', token: 'v1~1~a~b' }],
    ['DELETE', '/v1/jobs/v1~1~a~b', { name: 'cancelJob', token: 'v1~1~a~b' }],
  ])('%s %s', (method, path, route) => {
    expect(matchRoute(method, path)).toEqual(route)
  })

  test.each([
    '',
    '/',
    '/v1',
    '/v1/',
    '/v2/models',
    '/V1/models',
    '//v1/models',
    '/v1/models//',
    '/v1/models/%zz',
    '/v1/models/%61urora/run',
    '/v1/jobs',
    '/v1/jobs/',
    '/v1/jobs/a/b',
    '/v1/jobs/a//',
    '/v1/keys',
    '/_reference/keys',
    '/files/job/0.png',
  ])('nothing is at %j', (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) expect(matchRoute(method, path).name).toBe('notFound')
  })

  test.each([
    ['POST', '/v1/models', 'GET'],
    ['PUT', '/v1/models/a/run', 'GET, POST'],
    ['POST', '/v1/models/a', 'GET'],
    ['PATCH', '/v1/jobs/a', 'GET, DELETE'],
    ['HEAD', '/v1/jobs/a', 'GET, DELETE'],
    ['constructor', '/v1/jobs/a', 'GET, DELETE'],
  ])('%s %s is not a method of this path', (method, path, allow) => {
    expect(matchRoute(method, path)).toEqual({ name: 'methodNotAllowed', allow })
  })
})
