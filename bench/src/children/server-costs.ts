/** Measures one thing that grows with what a reference server in this process holds, and prints its milliseconds. */
import { createReferenceServer, DEFAULT_CATALOG } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'

export type ServerCost = keyof typeof MEASURES

export interface ServerCostResult {
  /** Median of the repeats. */
  milliseconds: number
  /** CPU time of one, which other processes disturb less. */
  cpuMilliseconds: number
}

const REPEATS = 200

const MEASURES = {
  'wrong key, 10,000 keys': async () => {
    const server = createReferenceServer()
    for (let count = 1; count < 10_000; count++) server.createKey()
    return repeat((turn) => ask(server, '/v1/models/aurora-image', almost(server.apiKey, turn)))
  },
  'unknown model, catalog of 10,000': async () => {
    const server = createReferenceServer({ catalog: catalogOf(10_000) })
    return repeat((turn) => ask(server, `/v1/models/modle-${String(turn).padStart(6, '0')}`))
  },
  'catalog of 100,000': async () => {
    const catalog = catalogOf(100_000)
    return repeat(async () => void createReferenceServer({ catalog }), 1)
  },
  'GET of a picture again, in process': () => readPicture('GET', 'in process'),
  'HEAD of a picture again, in process': () => readPicture('HEAD', 'in process'),
  'GET of a picture again, loopback': () => readPicture('GET', 'loopback'),
  'HEAD of a picture again, loopback': () => readPicture('HEAD', 'loopback'),
} as const

type Server = ReturnType<typeof createReferenceServer>

async function ask(server: Server, path: string, key = server.apiKey): Promise<void> {
  const response = await server.fetch(path, { headers: { authorization: `Bearer ${key}` } })
  if (response.status !== 401 && response.status !== 404) throw new Error(`The response is ${response.status}.`)
  await response.text()
}

/** A key that is wrong in its last letters. */
function almost(key: string, turn: number): string {
  return `${key.slice(0, -4)}!${String(turn).padStart(3, '0')}`
}

function catalogOf(count: number) {
  const [model] = DEFAULT_CATALOG
  if (model === undefined) throw new Error('The catalog is empty.')
  return Array.from({ length: count }, (_, index) => ({ ...model, id: `model-${String(index).padStart(6, '0')}` }))
}

async function readPicture(method: 'GET' | 'HEAD', way: 'in process' | 'loopback'): Promise<ServerCostResult> {
  const server = createReferenceServer({ clock: 'auto' })
  const listening = await listen(server)
  const response = await server.fetch('/v1/models/aurora-image/run', {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: { prompt: 'a red fox' } }),
  })
  const { output } = (await response.json()) as { output: { items: [{ url: string }] } } // a run that succeeded
  const [{ url }] = output.items
  const read = way === 'loopback' ? globalThis.fetch : server.fetch
  await (await read(url)).arrayBuffer() // painted, and kept
  const result = await repeat(async () => {
    await (await read(url, { method })).arrayBuffer()
  })
  await listening.close()
  return result
}

async function repeat(work: (turn: number) => Promise<void>, repeats = REPEATS): Promise<ServerCostResult> {
  const times: number[] = []
  const cpuBefore = process.cpuUsage()
  for (let turn = 0; turn < repeats; turn++) {
    const startedAt = performance.now()
    await work(turn)
    times.push(performance.now() - startedAt)
  }
  const { user, system } = process.cpuUsage(cpuBefore)
  const median = times.toSorted((one, other) => one - other)[repeats >> 1] ?? Number.NaN
  return { milliseconds: median, cpuMilliseconds: (user + system) / 1_000 / repeats }
}

const name = JSON.parse(process.argv[2] ?? '') as ServerCost // written by the parent
const result = await MEASURES[name]()
process.stdout.write(JSON.stringify(result), () => process.exit())
