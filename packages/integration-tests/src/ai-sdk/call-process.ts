/** One call of the AI SDK in a process of its own, of a durable batch in a file: prints the number of images, or the error. */
import { createModelRun } from '@modelrun/ai-sdk-provider'
import { createRuns } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { generateImage } from 'ai'
import { ModelRun } from 'modelrun'

const client = new ModelRun()
const engine = createSqliteEngine({ path: process.argv[2] ?? '', pollMs: 50 })
await engine.setup()
const modelrun = createModelRun({ client, durable: createRuns({ engine, client, lockMs: 1_000 }) })
const headers = { 'idempotency-key': 'poster-17' }
const call = generateImage({ model: modelrun.image('aurora-image'), prompt: 'a fox', headers })
console.log(JSON.stringify(await call.then(({ images }) => images.length, String)))
await engine.close()
