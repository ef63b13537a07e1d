// A process of `runs.runEach`, started and killed by a test.
import { createRuns } from '@modelrun/durable'
import { ModelRun } from 'modelrun'
import { openEngine } from './open-engine.ts'

const { engineAt, baseUrl, apiKey, count, model, lockMs } = JSON.parse(process.argv[2] ?? '{}')
const engine = openEngine(engineAt)
await engine.setup()
const client = new ModelRun({ apiKey, baseUrl, maxRetries: 0 })
const runs = createRuns({ engine, client, lockMs })
const items = Array.from({ length: count }, (_, index) => ({ key: `fox-${index}`, input: { prompt: `fox ${index}` } }))
for await (const { run } of runs.runEach(model, items)) console.log(run.key)
