import { createReferenceServer } from '@modelrun/reference-server'
import { onTestFinished, vi } from 'vitest'
import type { ReferenceServerOptions } from '../src/service/options.ts'
import type { Deliver } from '../src/webhooks/receivers.ts'
import { apiCaller } from './api-caller.ts'

/** A server, the bodies of its deliveries, and these and the responses to its runs in the order in which they came. */
export function webhookServer(options: ReferenceServerOptions = {}) {
  const bodies: ReturnType<typeof JSON.parse>[] = []
  const seen: string[] = []
  const deliver = vi.fn<Deliver>(async (request) => {
    const body = await request.json()
    bodies.push(body)
    seen.push(`delivery: ${body.status} ${body.job_id}`)
    return new Response()
  })
  const server = createReferenceServer({ clock: 'manual', deliver, ...options })
  onTestFinished(() => server.close())
  return { server, deliver, bodies, seen, caller: apiCaller(server) }
}
