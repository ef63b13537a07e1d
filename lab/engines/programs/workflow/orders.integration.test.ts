import { it } from 'vitest'
import { start } from 'workflow/api'
import { toEnd, toFailure } from '../program.ts'
import { makeVideoByAiSdk } from './ai-sdk.ts'
import { makeVideo } from './video.ts'

const orders: { orderId: string; prompt: string }[] = JSON.parse(process.env.ORDERS ?? '[]')

it('makes the videos of all orders', async () => {
  const ends = await Promise.all(
    orders.map(async ({ orderId, prompt }) => {
      const isOfAiSdk = orderId.startsWith('ai-sdk')
      const run = await (isOfAiSdk ? start(makeVideoByAiSdk, [orderId, prompt]) : start(makeVideo, [orderId, prompt]))
      return await run.returnValue.then(toEnd, toFailure)
    }),
  )
  process.stdout.write(`ends ${JSON.stringify(ends)}\n`)
})
