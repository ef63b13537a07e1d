import { createRuns } from '@modelrun/durable'
import { createBullmqEngine } from '@modelrun/durable/bullmq'
import { UnrecoverableError, Worker } from 'bullmq'
import { ModelRun } from 'modelrun'

/** A task of your own queue. */
interface Image {
  prompt: string
}

const { REDIS_URL = 'redis://127.0.0.1:6379' } = process.env
const engine = createBullmqEngine({ connection: REDIS_URL })
await engine.setup()
const runs = createRuns({ engine, client: new ModelRun(), name: 'images', lockMs: 5_000 })
runs.start()

/** BullMQ runs a task again when its process died or it failed. Its id is the key of the run, which is sent once. */
async function draw(id: string, { prompt }: Image): Promise<string> {
  for await (const { run } of runs.runEach('aurora-image', [{ key: id, input: { prompt } }])) {
    const [file] = run.output?.items ?? []
    if (file) return file.url
    // To repeat the task would change nothing: the key has been used.
    throw new UnrecoverableError(`The run of ${id} is ${run.state}.`)
  }
  throw new Error('There was no run.')
}

const worker = new Worker<Image, string>('images', (task) => draw(String(task.id), task.data), {
  connection: { url: REDIS_URL },
  concurrency: 10,
  lockDuration: 5_000,
  stalledInterval: 2_000,
})
worker.on('completed', (task, url) => console.log(task.id, url))
worker.on('failed', (task, error) => console.error(task?.id, error.message))
await worker.waitUntilReady()
console.log('ready')

process.once('SIGTERM', async () => {
  await worker.close()
  await runs.stop()
  await engine.close()
})
