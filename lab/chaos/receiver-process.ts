/** A process that receives deliveries, works on them and dies of some. Its settings come as JSON in the first argument. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { openEngine } from '../../packages/integration-tests/src/durable/open-engine.ts'
import { createChaosHandler } from './chaos-handler.ts'
import { openEffects } from './effects.ts'
import { openJournal } from './journal.ts'
import { observeEngine } from './observed-engine.ts'
import { INBOX_NAME, PUBLIC_URL, type ReceiverSettings, SECRET, TIMES } from './settings.ts'

const DRAIN_MS = 2_000

async function main(settings: ReceiverSettings): Promise<void> {
  // Outages are expected.
  console.warn = () => {}
  const { isSabotaged, skewMs } = settings
  const journal = openJournal(settings.journalPath)
  const opened = openEngine(settings.engineAt)
  const engine = observeEngine(opened, journal, isSabotaged)
  const effects = openEffects(settings.effectsPath)
  const inbox = createInbox({
    ...TIMES,
    name: INBOX_NAME,
    engine,
    // Without a client it accepts forged deliveries to its URLs.
    client: isSabotaged
      ? undefined
      : new ModelRun({ apiKey: 'sk_test_chaos', baseUrl: settings.serviceUrl, maxRetries: 0 }),
    secret: SECRET,
    publicUrl: PUBLIC_URL,
    clock: {
      now: () => Date.now() + skewMs,
      setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
      clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
    },
    onSucceeded: createChaosHandler({ settings, journal, effects, isLate: engine.isLate }),
    onHandlerError: () => {},
  })
  // A receiver without a parent has nothing to stop it.
  process.once('disconnect', () => process.exit())
  const server = createServer({ keepAliveTimeout: 60_000 }, inbox.node()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  inbox.start()
  process.once('SIGTERM', async () => {
    await inbox.drain({ timeoutMs: DRAIN_MS })
    process.exit(0)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.')
  process.send?.({ port: address.port })
}

// Only `startReceivers` starts this program.
void main(JSON.parse(process.argv[2] ?? '') as ReceiverSettings)
