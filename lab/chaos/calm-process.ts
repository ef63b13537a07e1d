/** A process that receives deliveries, and to which nothing happens. Its settings come as JSON in the first argument. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { openEngine } from '../../packages/integration-tests/src/durable/open-engine.ts'
import type { CalmSettings } from './measure-calm.ts'
import { INBOX_NAME, PUBLIC_URL, SECRET } from './settings.ts'

async function main({ engineAt, serviceUrl }: CalmSettings): Promise<void> {
  const inbox = createInbox({
    name: INBOX_NAME,
    engine: openEngine(engineAt),
    client: new ModelRun({ apiKey: 'sk_test_calm', baseUrl: serviceUrl }),
    secret: SECRET,
    publicUrl: PUBLIC_URL,
    onSucceeded: () => {},
  })
  process.once('disconnect', () => process.exit())
  const server = createServer({ keepAliveTimeout: 60_000 }, inbox.node()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  inbox.start()
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.')
  process.send?.({ port: address.port })
}

// Only `measureCalm` starts this program.
void main(JSON.parse(process.argv[2] ?? '') as CalmSettings)
