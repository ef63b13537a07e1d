import { ApplicationFailure } from '@temporalio/common'
import { isMistake, openRuns } from '../runs.ts'

/** May run twice, also at once: the video is paid once. */
export async function sendVideo(orderId: string, prompt: string) {
  const runs = await openRuns()
  try {
    return await runs.send(`video:${orderId}`, 'lumen/aurora-video', { prompt })
  } catch (error) {
    throw isMistake(error) ? ApplicationFailure.nonRetryable(error.message) : error
  }
}
