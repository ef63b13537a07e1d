/** One process of a durable batch whose service responds at once: adds keys, works them, or reads the results. */
import { createHash } from 'node:crypto'
import { createRuns } from '@modelrun/durable'
import { openStore, type StoreAt } from '../durable/stores.ts'

export interface GrowthJob {
  store: StoreAt
  keys: number
  /** So many of them are in the store before. */
  filled: number
  /** With `work`: ends when so many are done, over all processes. */
  workKeys: number
  task: 'add' | 'work' | 'read'
}

export interface GrowthResult {
  /** Of the first and of the last thousand keys. */
  first: Times
  last: Times
  /** Keys that this process dealt with. */
  count: number
  seconds: number
  peakMegabytes: number
  /** Of one `progress()` at the end. */
  progressMs: number
}

/** For one key, in microseconds. */
interface Times {
  wall: number
  /** Processor time of this process. */
  cpu: number
}

const WINDOW = 1_000
const ADDS_AT_ONCE = 100

const { store, keys, filled, workKeys, task } = JSON.parse(process.argv[2] ?? '') as GrowthJob // written by the parent
const engine = openStore(store)
await engine.setup()

/** When the first and the last keys of this process were dealt with. */
const first: Times[] = []
const last: Times[] = []
let count = 0
function note(): void {
  const { user, system } = process.cpuUsage()
  const now = { wall: performance.now() * 1_000, cpu: user + system }
  if (count < WINDOW) first.push(now)
  last[count % WINDOW] = now
  count += 1
  if (count % 50_000 === 0) console.error(`${task} ${count}: ${JSON.stringify(eachOf(last))}, ${peak / 1e6} MB`)
}

const item = {
  type: 'image',
  url: `https://files.example.com/outputs/${'0'.repeat(48)}.png`,
  content_type: 'image/png',
}
// What a batch uses of a client.
const client = {
  models: { get: async () => ({ pricing: { credits_per_run: 4 } }) },
  submit: async (_: string, input: { prompt: string }) => {
    note()
    return { id: `job_${input.prompt.slice(-40)}` }
  },
  jobs: { get: async () => ({ status: 'succeeded', output: { type: 'image', items: [item] } }) },
}
const runs = createRuns({
  engine,
  client: client as never,
  concurrency: 100,
  pollRate: { max: 1_000_000, perMs: 1_000 },
})

let peak = 0
const sampler = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 100)

const startedAt = performance.now()
if (task === 'add') await addKeys()
if (task === 'read') for await (const _ of runs.results()) note()
if (task === 'work') await work()
const seconds = (performance.now() - startedAt) / 1_000
const askedAt = performance.now()
await runs.progress()
const progressMs = performance.now() - askedAt
clearInterval(sampler)
await engine.close()

async function addKeys(): Promise<void> {
  for (let from = filled; from < keys; from += ADDS_AT_ONCE) {
    const adds = Array.from({ length: Math.min(ADDS_AT_ONCE, keys - from) }, async (_, index) => {
      // Hashes: they come in no order.
      const key = createHash('sha256')
        .update(String(from + index))
        .digest('base64url')
      await runs.add(key, 'aurora-image', { prompt: `a red fox in the snow, take ${key}` })
      note()
    })
    await Promise.all(adds)
  }
}

async function work(): Promise<void> {
  runs.start()
  for (;;) {
    const { total, done } = await runs.progress()
    if (done >= Math.min(total, workKeys)) break
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  await runs.stop()
}

function eachOf(times: readonly Times[]): Times {
  const each = (name: keyof Times) => {
    const values = times.map((time) => time[name])
    return Math.round((Math.max(...values) - Math.min(...values)) / Math.max(1, values.length - 1))
  }
  return { wall: each('wall'), cpu: each('cpu') }
}

const result: GrowthResult = {
  first: eachOf(first),
  last: eachOf(last),
  count,
  seconds,
  peakMegabytes: peak / 1e6,
  progressMs,
}
process.stdout.write(JSON.stringify(result), () => process.exit())
