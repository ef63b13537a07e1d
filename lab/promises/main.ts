/**
 * `npm run promises`: random sequences of calls at a service on a raw socket, with functions and dispatchers of a caller in between. The same
 * seeds make the same draws. Exit code 1: a promise is broken.
 */
import { parseArgs } from 'node:util'
import { playSequence } from './sequence.ts'
import { patchFetch } from './ways.ts'

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { seed: text, count: text, concurrency: text } })
const first = Number(values.seed ?? 1)
const count = Number(values.count ?? 30_000)

const startedAt = performance.now()
const total = { sequences: 0, calls: 0, posts: 0, charged: 0, broken: 0 }
let next = first
const uncaught = (error: unknown) => {
  total.broken++
  console.log('not caught:', error)
}
process.on('unhandledRejection', uncaught).on('uncaughtException', uncaught)
patchFetch()

async function playOn(): Promise<void> {
  while (next < first + count) {
    const seed = next++
    const { calls, posts, charged, broken, story } = await playSequence(seed)
    total.sequences++
    total.calls += calls
    total.posts += posts
    total.charged += charged
    total.broken += broken.length
    for (const each of broken) console.log(`seed ${seed}: ${each}\n  ${story}`)
    if (total.sequences % 1_000 === 0) console.error(total, `${Math.round((performance.now() - startedAt) / 1_000)} s`)
  }
}

await Promise.all(Array.from({ length: Number(values.concurrency ?? 48) }, playOn))
console.log(total)
process.exit(total.broken > 0 ? 1 : 0)
