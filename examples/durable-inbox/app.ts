/**
 * An app that receives results by webhook and works a batch, both in one SQLite file. Kill it at any moment and start it
 * again: it continues with its work. A key of the batch is sent at most once, and the effect of a delivery counts once.
 *
 *   node app.ts                 starts the batch, or continues with it, and waits for results
 *   curl localhost:3000/start   starts a run whose result comes by webhook
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { createRuns } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { createResults } from './results.ts'

const { DATA_FOLDER = '.', INBOX_SECRET = 'any text of at least 32 characters', PORT = '3000' } = process.env
const MODEL = 'aurora-image'
const ANIMALS = ['fox', 'hare', 'owl', 'wolf', 'bear', 'lynx']

const client = new ModelRun() // MODELRUN_API_KEY and MODELRUN_BASE_URL
const engine = createSqliteEngine({ path: `${DATA_FOLDER}/engine.db` })
const results = createResults(new DatabaseSync(`${DATA_FOLDER}/results.db`))

const server = createServer(async (request, response) => {
  if (request.url?.startsWith('/webhooks')) return receive(request, response)
  try {
    const job = await client.submit(MODEL, { prompt: 'a lighthouse' }, { webhook: inbox })
    response.end(`${job.id}\n`)
  } catch (error) {
    response.writeHead(500).end(`${error}\n`)
  }
})
server.listen(Number(PORT), '127.0.0.1')
await once(server, 'listening')
// A TCP server that listens has an AddressInfo.
const { port } = server.address() as AddressInfo

const inbox = createInbox({
  client,
  engine,
  secret: INBOX_SECRET,
  publicUrl: process.env.PUBLIC_URL ?? `http://127.0.0.1:${port}/webhooks`,
  onSucceeded: (event, { idempotencyKey, source }) => {
    if (results.save(idempotencyKey, event.output.items[0]?.url)) console.log(`saved ${event.job_id} by ${source}`)
  },
  onFailed: (event) => console.log(`failed ${event.job_id}: ${event.error.message}`),
})
const receive = inbox.node()
inbox.start()
console.log(`listens on ${port}`)

// A process that died holds its runs for `lockMs`.
const runs = createRuns({ engine, client, name: 'posters', maxCredits: 100, lockMs: 10_000 })
await engine.setup()
for (const animal of ANIMALS) await runs.add(animal, MODEL, { prompt: `a red ${animal}` })
runs.start()

process.once('SIGTERM', async () => {
  server.close()
  await Promise.all([runs.stop(), inbox.drain({ timeoutMs: 5_000 })])
  await engine.close()
  process.exit(0)
})

for await (const run of runs.results()) {
  const url = run.output?.items[0]?.url
  if (results.save(`poster:${run.key}`, url)) console.log(`${run.state} ${run.key}`)
}
const { done, unknown, credits } = await runs.progress()
console.log(`batch: ${done} done, ${unknown} unknown, ${credits} credits`)
