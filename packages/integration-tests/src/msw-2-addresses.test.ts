import { expect, it, onTestFinished, vi } from 'vitest'
import { createCheckedServer } from './openapi/checked-server.ts'

// Both majors are installed, and `handlers` takes the one that is called msw.
vi.mock('msw', () => import('msw-2'))
const { setupServer } = await import('msw-2/node')
const { handlers } = await import('@modelrun/reference-server/msw')

it.each([
  'https://API.Example.test',
  'https://a.test:443',
  'http://a.test:80/api',
  'http://bücher.test',
  'http://a.test/x/',
])('msw 2.10 intercepts %s however it is written', async (baseUrl) => {
  const server = createCheckedServer()
  // They are handlers of msw 2, made by the mock; only the types are those of msw 3.
  const network = setupServer(...(handlers(server, { baseUrl }) as unknown as Parameters<typeof setupServer>))
  network.listen({ onUnhandledRequest: 'error' })
  onTestFinished(() => network.close())
  const headers = { authorization: `Bearer ${server.apiKey}` }
  for (const written of [baseUrl, new URL(baseUrl).href]) {
    const response = await fetch(`${written.replace(/\/$/, '')}/v1/models`, { headers })
    expect([response.status, response.statusText]).toEqual([200, 'OK'])
  }
  await server.close()
})
