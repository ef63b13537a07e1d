import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { listenOn } from '../../../kit/test/listen-on.ts'
import type { Order, Plan, RecipeFault, Variant } from './order.ts'

/** What an order cost. */
export interface Cost {
  posts: number
  credits: number
  /** How often a step called `send`. */
  sends: number
}

const CREDITS = 10_000
/** Longer than a second process takes to start. */
const SLOW_MS = 4_000

/** The service, with an account for each order, and an endpoint with the fault of each order. */
export async function startRecipeService() {
  const server = createReferenceServer({ clock: 'system', latency: 300 })
  const { url: baseUrl, close } = await listen(server, { port: 0 })
  const plans = new Map<string, Plan>()
  const sends = new Map<string, number>()
  const dead = new Set<string>()
  const control = createServer((request, response) => {
    const [, path = '', orderId = ''] = (request.url ?? '').split('/')
    const isDeath = path === 'death' && plans.get(orderId)?.fault === 'death' && !dead.has(orderId)
    if (path === 'plan') sends.set(orderId, (sends.get(orderId) ?? 0) + 1)
    if (isDeath) dead.add(orderId)
    response.end(JSON.stringify(path === 'death' ? { isDeath } : plans.get(orderId)))
  })
  const { port, close: closeControl } = await listenOn(control)

  const order = (name: string, variant: Variant, fault: RecipeFault): Order => {
    const orderId = `${name}-${variant}-${fault}-${plans.size}`
    const { key: apiKey } = server.createKey({ credits: CREDITS })
    plans.set(orderId, { apiKey, baseUrl, variant, fault })
    if (fault === 'lost-response')
      server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 }, apiKey)
    if (fault === 'two-at-once')
      server.faults.add({ kind: 'slow-headers', route: 'runModel', delay_ms: SLOW_MS }, apiKey)
    if (fault === 'lost-webhook') server.webhooks.script({ deliveries: 0 }, apiKey)
    return { orderId, prompt: 'waves at dusk', id: orderId }
  }
  const cost = async ({ orderId }: Order): Promise<Cost> => {
    const key = plans.get(orderId)?.apiKey ?? ''
    // A job is charged at its end.
    while (server.report(key).unfinishedJobs.length > 0) await sleep(50)
    const posts = server.requests({ route: 'runModel', key }).length
    return { posts, credits: CREDITS - server.credits(key), sends: sends.get(orderId) ?? 0 }
  }
  /** The settings of a client of an order, as environment variables. */
  const environment = ({ orderId }: Order) => ({
    MODELRUN_API_KEY: plans.get(orderId)?.apiKey ?? '',
    MODELRUN_BASE_URL: baseUrl,
  })
  const stop = async () => {
    await closeControl()
    await close()
  }
  return { order, cost, environment, stop, controlUrl: `http://127.0.0.1:${port}` }
}
