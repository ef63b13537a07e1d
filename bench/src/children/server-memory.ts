/** Lets a reference server in this process live through many jobs, and prints the memory that they leave. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createReferenceServer } from '@modelrun/reference-server'

/** In a process with `--expose-gc`. */
export interface ServerMemoryJob {
  jobs: number
  /** Whether each result is delivered to a webhook. */
  hasWebhook: boolean
}

export interface ServerMemoryResult {
  megabytes: number
  /** Of the process, at its end. */
  residentMegabytes: number
  microsecondsPerJob: number
}

/** Jobs that are unfinished at the same time. */
const AT_ONCE = 1_000
const WARM_UP = 2_000

const { jobs, hasWebhook } = JSON.parse(process.argv[2] ?? '') as ServerMemoryJob // written by the parent
const deliver = async () => new Response(null, { status: 204 })
const server = createReferenceServer({ clock: 'manual', credits: Number.MAX_SAFE_INTEGER, deliver })
const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' }
const url = `${server.baseUrl}/v1/models/aurora-image/run`

/** Runs jobs to their ends, each with an input of its own. */
async function live(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const input = { prompt: `a red fox in the snow, take ${index}` }
    const body = { input, sync: false, ...(hasWebhook ? { webhook_url: `https://receiver.test/hooks/${index}` } : {}) }
    const answer = await server.fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    if (answer.status !== 202) throw new Error(`The answer is ${answer.status}.`)
    await answer.text()
    if (index % AT_ONCE === AT_ONCE - 1) await server.clock.advance(60_000)
  }
  await server.clock.advance(60_000)
}

async function heapBytes(): Promise<number> {
  for (let turn = 0; turn < 5; turn++) {
    globalThis.gc?.()
    await nextTurn()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

await live(WARM_UP)
server.reset()
const before = await heapBytes()
const startedAt = performance.now()
await live(jobs)
const microsecondsPerJob = ((performance.now() - startedAt) / jobs) * 1_000
const megabytes = ((await heapBytes()) - before) / 1e6
if (!server.report().isClean) throw new Error(server.report().text.slice(0, 500))
const result: ServerMemoryResult = { megabytes, residentMegabytes: process.memoryUsage().rss / 1e6, microsecondsPerJob }
process.stdout.write(JSON.stringify(result), () => process.exit())
