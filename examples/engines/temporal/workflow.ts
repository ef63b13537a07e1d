import { proxyActivities, sleep } from '@temporalio/workflow'
import type * as activities from './activities.ts'

const { sendVideo } = proxyActivities<typeof activities>({ startToCloseTimeout: '2 minutes' })

export async function makeVideo(orderId: string, prompt: string) {
  for (;;) {
    const run = await sendVideo(orderId, prompt)
    if (run.afterMs === undefined) return run
    await sleep(run.afterMs)
  }
}
