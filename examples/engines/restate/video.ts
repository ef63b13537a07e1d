import * as restate from '@restatedev/restate-sdk'
import { isMistake, openRuns } from '../runs.ts'

interface Order {
  orderId: string
  prompt: string
}

/** May run twice, also at once: the video is paid once. */
async function send({ orderId, prompt }: Order, webhookUrl: string) {
  const runs = await openRuns()
  try {
    return await runs.send(`video:${orderId}`, 'lumen/aurora-video', { prompt }, { webhookUrl })
  } catch (error) {
    throw isMistake(error) ? new restate.TerminalError(error.message) : error
  }
}

/** Polls the job at once, after a hint. */
const read = async ({ orderId }: Order) => (await openRuns()).read(`video:${orderId}`, { isHinted: true })

export const videos = restate.service({
  name: 'videos',
  handlers: {
    make: async (ctx: restate.Context, order: Order) => {
      const { id, promise } = ctx.awakeable()
      const webhookUrl = `${process.env.RESTATE_INGRESS_URL}/restate/awakeables/${id}/resolve`
      for (let isHinted = false; ; ) {
        const run = await ctx.run('send', () => send(order, webhookUrl))
        if (run.afterMs === undefined) return run
        if (isHinted) {
          await ctx.sleep(run.afterMs)
          continue
        }
        const isLate = (error: unknown) => error instanceof restate.TimeoutError
        isHinted = await promise.orTimeout(run.afterMs).then(
          () => true,
          (error) => {
            if (isLate(error)) return false
            throw error
          },
        )
        if (isHinted) await ctx.run('read', () => read(order))
      }
    },
  },
})
