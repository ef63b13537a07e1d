import { Queue } from 'bullmq'

const { REDIS_URL = 'redis://127.0.0.1:6379' } = process.env
const queue = new Queue('images', { connection: { url: REDIS_URL } })

// A task of the same id is added once. The id is not a number: BullMQ gives those itself.
for (const animal of process.argv.slice(2)) {
  await queue.add('draw', { prompt: `a red ${animal}` }, { jobId: `image-${animal}`, attempts: 3 })
}
await queue.close()
