/** A process that receives deliveries, works on them and dies of some. Its settings come as JSON in the first argument. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { createChaosHandler } from './chaos-handler.ts'
import { makeFaulty } from './faulty-store.ts'
import { openJournal } from './journal.ts'
import { createJournaledStore, type Sabotage } from './journaled-store.ts'
import { openStore } from './open-store.ts'
import { PUBLIC_URL, type ReceiverMessage, type ReceiverSettings, SECRET, TIMES } from './receiver-settings.ts'

/** Jitter of 2 % of what it is elsewhere, so that the waits between retries are short. */
const shortRandom = () => Math.random() / 50

async function main(settings: ReceiverSettings): Promise<void> {
  const { store } = await openStore(settings.store)
  const journal = openJournal(settings.journalPath)
  const sabotage: Sabotage = { cutOff: new Set(), diesCompleted: new Set() }
  const tellParent = (message: ReceiverMessage) => void process.send?.(message)
  const inbox = createInbox({
    ...TIMES,
    leaseMs: settings.leaseMs,
    store: createJournaledStore(settings.isFaulty ? makeFaulty(store) : store, journal, sabotage),
    client: new ModelRun({ apiKey: 'sk_test_chaos', baseUrl: settings.serviceUrl }),
    secret: SECRET,
    publicUrl: PUBLIC_URL,
    // Every run may go wrong, and some go wrong often.
    maxAttempts: 1_000_000,
    random: shortRandom,
    onSucceeded: createChaosHandler({ settings, journal, sabotage, tellParent }),
    onHandlerError: () => {},
  })
  // A receiver without a parent has nobody to stop it.
  process.once('disconnect', () => process.exit())
  const server = createServer({ keepAliveTimeout: 60_000 }, inbox.node()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  inbox.start()
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.')
  tellParent({ kind: 'ready', port: address.port })
}

// Only `startReceivers` starts this program.
void main(JSON.parse(process.argv[2] ?? '') as ReceiverSettings)
