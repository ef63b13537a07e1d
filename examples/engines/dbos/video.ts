import { DBOS } from '@dbos-inc/dbos-sdk'
import { isMistake, openRuns } from '../runs.ts'

/** May run twice, also at once: the video is paid once. */
async function send(orderId: string, prompt: string) {
  const runs = await openRuns()
  return await runs.send(`video:${orderId}`, 'lumen/aurora-video', { prompt })
}

const STEP = { name: 'send', retriesAllowed: true, maxAttempts: 10, shouldRetry: (error: unknown) => !isMistake(error) }

export const makeVideo = DBOS.registerWorkflow(
  async (orderId: string, prompt: string) => {
    for (;;) {
      const run = await DBOS.runStep(() => send(orderId, prompt), STEP)
      if (run.afterMs === undefined) return run
      // Sleeps, or wakes by `DBOS.send(workflowId, true, 'hint')` of the route that gets the webhook.
      await DBOS.recv('hint', run.afterMs / 1_000)
    }
  },
  { name: 'makeVideo' },
)
