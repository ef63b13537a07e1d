import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { expectedObservations, KINDS, timeLimitMs } from './fault-table.ts'
import { seeRequest } from './observations.ts'

// Both majors are installed, and `handlers` takes the one that is called msw.
vi.mock('msw', () => import('msw-2'))
const { setupServer } = await import('msw-2/node')
const { handlers } = await import('@modelrun/reference-server/msw')

let server: ReferenceServer
let network: ReturnType<typeof setupServer>

beforeAll(() => {
  server = createReferenceServer({ clock: 'auto' })
  // They are handlers of msw 2, made by the mock; only the types are those of msw 3.
  network = setupServer(...(handlers(server) as unknown as Parameters<typeof setupServer>))
  network.listen({ onUnhandledRequest: 'error' })
})
afterAll(() => network.close())

it.each(KINDS)('a fetch and an axios client of msw 2.10 meet %s as the guide says', async (kind) => {
  server.faults.clear()
  server.faults.add({ kind, times: 2 })
  const request = {
    timeLimitMs: timeLimitMs(kind),
    url: `${server.baseUrl}/v1/models/aurora-image`,
    apiKey: server.apiKey,
    fetch: globalThis.fetch,
  }
  const axiosConfig = { adapter: 'http' }
  expect(await seeRequest({ ...request, axiosConfig })).toEqual(expectedObservations('MSW 2.10', kind))
  expect(await seeRequest({ ...request, axiosConfig })).toEqual({ fetch: '200', axios: '200' })
})
