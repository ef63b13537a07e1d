// A process with an inbox, started, stopped and killed by a test. It prints each run of its handler and each dead letter. The
// job `poison` ends the process, and `long` takes longer than any test.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { openEngine } from './open-engine.ts'

const { engineAt, serviceUrl, name, lockMs, workMs } = JSON.parse(process.argv[2] ?? '{}')
const inbox = createInbox({
  engine: openEngine(engineAt),
  name,
  client: new ModelRun({ apiKey: 'sk_test_process', baseUrl: serviceUrl, maxRetries: 0 }),
  lockMs,
  backoffMs: 50,
  onDead: ({ jobId, attempt, error }) => console.log(`dead ${jobId} ${attempt} ${(error as { code?: string }).code}`),
  onSucceeded: async ({ job_id }, { attempt }) => {
    console.log(`start ${job_id} ${attempt}`)
    if (job_id === 'poison') process.kill(process.pid, 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, job_id === 'long' ? 600_000 : workMs))
    console.log(`end ${job_id} ${attempt}`)
  },
})
const server = createServer(inbox.node()).listen(0, '127.0.0.1')
await once(server, 'listening')
inbox.start()
const address = server.address()
console.log(`port ${typeof address === 'object' ? address?.port : ''}`)
