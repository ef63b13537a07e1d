import { eventType, Inngest, NonRetriableError, staticSchema } from 'inngest'
import { isMistake, openRuns } from '../runs.ts'

export const inngest = new Inngest({ id: 'videos' })

const ordered = eventType('video/ordered', { schema: staticSchema<{ orderId: string; prompt: string }>() })

/** May run twice, also at once: the video is paid once. */
async function send(orderId: string, prompt: string) {
  const runs = await openRuns()
  try {
    return await runs.send(`video:${orderId}`, 'lumen/aurora-video', { prompt })
  } catch (error) {
    throw isMistake(error) ? new NonRetriableError(error.message, { cause: error }) : error
  }
}

export const makeVideo = inngest.createFunction({ id: 'make-video', triggers: [ordered] }, async ({ event, step }) => {
  const { orderId, prompt } = event.data
  for (let turn = 1; ; turn += 1) {
    const run = await step.run(`send-${turn}`, () => send(orderId, prompt))
    if (!('afterMs' in run)) return run
    await step.sleep(`wait-${turn}`, run.afterMs)
  }
})
