import { describe, expect, test } from 'vitest'
import { findRoutes } from './match-route.ts'

describe('the routes of a proxy (section 4)', () => {
  test.each([
    ['GET', '/v1/models', { name: 'listModels' }],
    ['GET', '/v1/models/', { name: 'listModels' }],
    ['POST', '/v1/models/lumen%2faurora/run/', { name: 'runModel', id: 'lumen/aurora' }],
    ['DELETE', '/v1/jobs/v1~1~a~b/', { name: 'cancelJob', id: 'v1~1~a~b' }],
    ['GET', '/v1/models/aurora-image', { name: 'getModel', id: 'aurora-image' }],
    ['GET', '/v1/models/lumen%2Faurora', { name: 'getModel', id: 'lumen/aurora' }],
    ['GET', '/v1/models/lumen/aurora', { name: 'getModel', id: 'lumen/aurora' }],
    ['GET', '/v1/models/lumen/run', { name: 'getModel', id: 'lumen/run' }],
    ['POST', '/v1/models/lumen%2Faurora/run', { name: 'runModel', id: 'lumen/aurora' }],
    ['POST', '/v1/models/lumen/aurora/run', { name: 'runModel', id: 'lumen/aurora' }],
    ['GET', '/v1/jobs/v1~1~a~b', { name: 'getJob', id: 'v1~1~a~b' }],
    ['DELETE', '/v1/jobs/v1~1~a~b', { name: 'cancelJob', id: 'v1~1~a~b' }],
  ])('%s %s', (method, path, route) => {
    expect(findRoutes(path)[method]).toEqual({ id: '', ...route })
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
    expect(findRoutes(path)).toEqual({})
  })

  test.each([
    ['/v1/models', ['GET']],
    ['/v1/models/a/run', ['GET', 'POST']],
    ['/v1/models/a', ['GET']],
    ['/v1/jobs/a', ['GET', 'DELETE']],
  ])('%s has the methods %j', (path, methods) => {
    expect(Object.keys(findRoutes(path))).toEqual(methods)
  })
})
