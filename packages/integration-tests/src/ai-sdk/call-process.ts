/** One call of the AI SDK in a process of its own: `draw` an image of a durable batch, `start` a video, read its `status`. */
import { createModelRun } from '@modelrun/ai-sdk-provider'
import { createRuns } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { generateImage, experimental_getVideoStatus as getVideoStatus, experimental_startVideo as startVideo } from 'ai'
import { ModelRun } from 'modelrun'

const [what = '', argument = ''] = process.argv.slice(2)
const video = createModelRun().video('lumen/aurora-video')

async function draw(path: string): Promise<unknown> {
  const client = new ModelRun()
  const engine = createSqliteEngine({ path, pollMs: 50 })
  await engine.setup()
  const modelrun = createModelRun({ client, durable: createRuns({ engine, client, lockMs: 1_000 }) })
  const headers = { 'idempotency-key': 'poster-17' }
  const call = generateImage({ model: modelrun.image('aurora-image'), prompt: 'a fox', headers })
  const result = await call.then(({ images }) => images.length, String)
  await engine.close()
  return result
}

const work: Record<string, () => Promise<unknown>> = {
  draw: () => draw(argument),
  start: async () => (await startVideo({ model: video, prompt: 'waves' })).operation,
  status: async () => {
    const status = await getVideoStatus(video, { operation: JSON.parse(argument) })
    return [status.status, status.status === 'completed' && status.videos[0]?.mediaType]
  },
}
console.log(JSON.stringify(await work[what]?.()))
