import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import { report } from '../program.ts'
import { sendVideo } from './activities.ts'

const RETRY_MS = 200

/** The loop of `workflow.ts`, with Temporal's retries: its server is not in npm. */
await report(async ({ orderId, prompt }) => {
  for (let attempt = 1; ; attempt += 1) {
    const activity = new MockActivityEnvironment({ attempt })
    try {
      const run = (await activity.run(sendVideo, orderId, prompt)) as Awaited<ReturnType<typeof sendVideo>> // its types say unknown
      if (run.afterMs === undefined) return run
      await sleep(run.afterMs)
    } catch (error) {
      if (error instanceof ApplicationFailure && error.nonRetryable) throw error
      await sleep(RETRY_MS)
    }
  }
})
process.exit()
