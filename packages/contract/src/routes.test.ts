import { describe, expect, test } from 'vitest'
import { ROUTES, routePath } from './routes.ts'

describe('routePath', () => {
  test('leaves a path without parameters as it is (section 4.1)', () => {
    expect(routePath(ROUTES.listModels)).toBe('/v1/models')
  })

  test('fills in an id (section 4.4)', () => {
    expect(routePath(ROUTES.getJob, { id: 'job_1' })).toBe('/v1/jobs/job_1')
  })

  test.each([
    ['northlight/retouch', 'northlight%2Fretouch'],
    ['a b?c#d%e', 'a%20b%3Fc%23d%25e'],
    ['...', '...'],
    ['$&', '%24%26'],
  ])('keeps the id %j one path segment (section 4.3)', (model, segment) => {
    const path = routePath(ROUTES.runModel, { model })
    expect(path).toBe(`/v1/models/${segment}/run`)
    expect(new URL(path, 'https://api.example.com').pathname).toBe(path)
  })

  test.each(['', '.', '..'])('rejects the id %j, which would reach another endpoint (section 4.4)', (id) => {
    expect(() => routePath(ROUTES.cancelJob, { id })).toThrow(
      new TypeError(`The path /v1/jobs/{id} needs an id for {id}, not ${JSON.stringify(id)}.`),
    )
  })

  test('rejects a missing id (section 4.3)', () => {
    expect(() => routePath(ROUTES.runModel)).toThrow('The path /v1/models/{model}/run needs an id for {model}')
    expect(() => routePath(ROUTES.runModel, { id: 'aurora-image' })).toThrow('{model}')
  })
})
