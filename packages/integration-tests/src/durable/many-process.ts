// A process of `client.runMany` with `durable`, started and killed by a test.
import { createRuns } from '@modelrun/durable'
import { ModelRun } from 'modelrun'
import { openEngine } from './open-engine.ts'

const { engineAt, baseUrl, apiKey, count, model, lockMs } = JSON.parse(process.argv[2] ?? '{}')
const engine = openEngine(engineAt)
await engine.setup()
const client = new ModelRun({ apiKey, baseUrl, maxRetries: 0 })
const runs = createRuns({ engine, client, lockMs })
const inputs = Array.from({ length: count }, (_, index) => ({ prompt: `fox ${index}` }))
for await (const run of client.runMany(model, inputs, { durable: runs })) console.log(run.index)
