import { PERMISSIONS, type Permission, ROUTES, type RouteName, routePath } from '@modelrun/contract'
import { describe, expect, it } from 'vitest'
import { apiCaller, errorOf } from '../../test/api-caller.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

const NAMES = Object.keys(ROUTES) as RouteName[] // the keys of a constant

function ask(server: ReferenceServer, name: RouteName, permissions: readonly Permission[]) {
  const route = ROUTES[name]
  const path = routePath(route, { id: 'aurora-image', model: 'aurora-image' })
  return apiCaller(server, server.createKey({ permissions }).key).call(route.method, path)
}

describe('permissions', () => {
  it.each(NAMES)('lets a key with nothing but the permission of %s pass (section 5.4)', async (name) => {
    const response = await ask(createReferenceServer(), name, [ROUTES[name].permission])
    expect([401, 403]).not.toContain(response.status)
  })

  it.each(NAMES)(
    'responds with 403 FORBIDDEN to %s with every permission but its own (sections 5.5 and 7)',
    async (name) => {
      const { permission, method, path } = ROUTES[name]
      const response = await ask(
        createReferenceServer(),
        name,
        PERMISSIONS.filter((one) => one !== permission),
      )
      expect(response.status).toBe(403)
      expect(response.body).toEqual({ error: { code: 'FORBIDDEN', message: expect.stringContaining(permission) } })
      expect(errorOf(response).message).toContain(`${method} ${path}`)
    },
  )

  it('asks for jobs:write on a run when the assumption says so (section 5.7)', async () => {
    const strict = createReferenceServer({ assumptions: { runNeedsJobsWrite: true } })
    const rejectedBody = await ask(strict, 'runModel', ['models:run'])
    expect([rejectedBody.status, errorOf(rejectedBody).message]).toEqual([403, expect.stringContaining('jobs:write')])
    expect((await ask(strict, 'runModel', ['models:run', 'jobs:write'])).status).not.toBe(403)
    expect((await ask(strict, 'cancelJob', ['jobs:write'])).status).toBe(404)
  })

  it('checks the permission before the body, the model and the job', async () => {
    const server = createReferenceServer()
    const caller = apiCaller(server, server.createKey({ permissions: [] }).key)
    expect((await caller.post('/v1/models/no-such-model/run', 'no object')).status).toBe(403)
    expect((await caller.get('/v1/jobs/no-such-job')).status).toBe(403)
    expect((await caller.get('/v1/models?limit=-1')).status).toBe(403)
  })
})
