import { createModelRun } from '@modelrun/ai-sdk-provider'
import { experimental_getVideoStatus as getVideoStatus, experimental_startVideo as startVideo } from 'ai'
import { sleep } from 'workflow'
import { openRuns } from '../runs.ts'

const openModel = async () => createModelRun({ durable: await openRuns() }).video('lumen/aurora-video')

/** The AI SDK's header is the key. The same call again sends nothing, and what had to wait is sent by it. */
async function start(orderId: string, prompt: string) {
  'use step'
  const headers = { 'idempotency-key': `ai-video:${orderId}` }
  const { operation } = await startVideo({ model: await openModel(), prompt, headers })
  return operation
}

async function status(operation: Awaited<ReturnType<typeof start>>) {
  'use step'
  const current = await getVideoStatus(await openModel(), { operation })
  if (current.status !== 'completed') return current
  // A journal is not the place for the bytes of a video: store them here.
  return { status: current.status, videos: current.videos.length }
}

export async function makeVideoByAiSdk(orderId: string, prompt: string) {
  'use workflow'
  for (;;) {
    const current = await status(await start(orderId, prompt))
    if (current.status !== 'pending') return current
    await sleep('2s')
  }
}
