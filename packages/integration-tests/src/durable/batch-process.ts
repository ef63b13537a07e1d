// A process of a batch: adds every key, works until the batch is done, and prints `done`. Started and killed by a test.
import { createRuns } from '@modelrun/durable'
import { ModelRun } from 'modelrun'
import { openEngine } from './open-engine.ts'

const { engineAt, baseUrl, apiKey, keys, model, name } = JSON.parse(process.argv[2] ?? '{}')
const engine = openEngine(engineAt)
await engine.setup()
const client = new ModelRun({ apiKey, baseUrl, maxRetries: 0 })
const runs = createRuns({ engine, client, name, lockMs: 1_000, pollRate: { max: 500, perMs: 1_000 } })
runs.start()
for (let index = 0; index < keys; index += 1) await runs.add(`key-${index}`, model, { prompt: `key-${index}` })
for await (const run of runs.results()) if (run.state !== 'succeeded') console.error(run.key, run.state)
await runs.stop()
await engine.close()
console.log('done')
