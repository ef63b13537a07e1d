import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import express from 'express'
import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'

const { DATA_FOLDER = '.', INBOX_SECRET = 'any text of at least 32 characters', PORT = '3000' } = process.env
const PUBLIC_URL = process.env.PUBLIC_URL ?? `http://127.0.0.1:${PORT}/webhooks`

const database = new DatabaseSync(`${DATA_FOLDER}/images.db`)
database.exec('CREATE TABLE IF NOT EXISTS images (key TEXT PRIMARY KEY, job_id TEXT, url TEXT, error TEXT)')
// The key of a delivery is the same each time, so a handler that runs again adds no second row.
const insert = database.prepare('INSERT INTO images VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
const select = database.prepare('SELECT url, error FROM images WHERE job_id = ?')

const client = new ModelRun() // MODELRUN_API_KEY and MODELRUN_BASE_URL
const engine = createSqliteEngine({ path: `${DATA_FOLDER}/inbox.db` })
const inbox = createInbox({
  client,
  engine,
  secret: INBOX_SECRET,
  publicUrl: PUBLIC_URL,
  onSucceeded: ({ job_id, output }, { idempotencyKey }) => {
    insert.run(idempotencyKey, job_id, output.items[0]?.url ?? null, null)
  },
  onFailed: ({ job_id, error }, { idempotencyKey }) => {
    insert.run(idempotencyKey, job_id, null, error.message)
  },
})

const app = express()
app.post('/webhooks', inbox.node())
app.post('/images', express.json(), async (request, response) => {
  const { prompt } = request.body ?? {}
  if (typeof prompt !== 'string') {
    response.status(400).json({ error: 'The prompt is missing.' })
    return
  }
  const job = await client.submit('aurora-image', { prompt }, { webhook: inbox })
  response.status(202).json({ id: job.id })
})
app.get('/images/:id', (request, response) => {
  const image = select.get(request.params.id)
  response.status(image ? 200 : 404).json(image ?? { error: 'There is no result yet.' })
})

const server = app.listen(Number(PORT), '127.0.0.1')
await once(server, 'listening')
inbox.start()
console.log(`Listens on http://127.0.0.1:${PORT}`)

process.once('SIGTERM', async () => {
  server.close()
  await inbox.drain({ timeoutMs: 5_000 })
  await engine.close()
  process.exit(0)
})
