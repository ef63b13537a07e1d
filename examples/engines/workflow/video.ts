import { createWebhook, FatalError, sleep } from 'workflow'
import { isMistake, openRuns } from '../runs.ts'

/** May run twice, also at once: the video is paid once. */
async function send(orderId: string, prompt: string, webhookUrl: string) {
  'use step'
  const runs = await openRuns()
  try {
    return await runs.send(`video:${orderId}`, 'lumen/aurora-video', { prompt }, { webhookUrl })
  } catch (error) {
    throw isMistake(error) ? new FatalError(error.message) : error
  }
}

/** Polls the job at once, after a hint. */
async function read(orderId: string) {
  'use step'
  const runs = await openRuns()
  return await runs.read(`video:${orderId}`, { isHinted: true })
}

export async function makeVideo(orderId: string, prompt: string) {
  'use workflow'
  const hook = createWebhook()
  let hint: PromiseLike<unknown> | undefined = hook
  for (;;) {
    let run = await send(orderId, prompt, hook.url)
    if (run.afterMs === undefined) return run
    const slept = sleep(run.afterMs).then(() => 'slept')
    const woke = hint === undefined ? await slept : await Promise.race([hint.then(() => 'hint'), slept])
    if (woke !== 'hint') continue
    // Once it has fired it stays so: without this line the loop would not sleep again.
    hint = undefined
    run = await read(orderId)
    if (run.afterMs === undefined) return run
  }
}
