import { createReferenceServer } from '@modelrun/reference-server'
import { http } from 'msw'
import { setupWorker } from 'msw/browser'

/** Puts the whole service into the page, in the place of the proxy on your server. There is no backend. */
export async function startMocks(): Promise<void> {
  const baseUrl = `${location.origin}/api/modelrun`
  const server = createReferenceServer({ baseUrl, credits: 8, latency: 500, clock: 'system' })
  const worker = setupWorker(
    http.all('/api/modelrun/*', ({ request }) => {
      // Your proxy adds the key. The page has none.
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${server.apiKey}`)
      return server.fetch(new Request(request, { headers }))
    }),
  )
  await worker.start({ quiet: true, onUnhandledFrame: 'bypass' })
  // For the console and for tests: `server.faults.add({ kind: 'unavailable', route: 'runModel' })`.
  Object.assign(globalThis, { server })
}
