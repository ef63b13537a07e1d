import { type DurableContext, retryPresets, withDurableExecution } from '@aws/durable-execution-sdk-js'
import { isMistake, openRuns } from '../runs.ts'

interface Order {
  orderId: string
  prompt: string
}

/** May run twice, also at once: the video is paid once. */
async function send({ orderId, prompt }: Order) {
  const runs = await openRuns()
  return await runs.send(`video:${orderId}`, 'lumen/aurora-video', { prompt })
}

const retryStrategy = (error: Error, attempt: number) =>
  isMistake(error) ? { shouldRetry: false } : retryPresets.default(error, attempt)

export const handler = withDurableExecution(async (order: Order, context: DurableContext) => {
  for (let turn = 1; ; turn += 1) {
    const run = await context.step(`send-${turn}`, () => send(order), { retryStrategy })
    if (run.afterMs === undefined) return run
    await context.wait(`wait-${turn}`, { seconds: Math.ceil(run.afterMs / 1_000) })
  }
})
