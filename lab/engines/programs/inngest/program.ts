import { InngestTestEngine } from '@inngest/test'
import { report } from '../program.ts'
import { makeVideo } from './video.ts'

/** The test engine waits for no sleep by itself. */
const sleeps = Array.from({ length: 40 }, (_, index) => ({
  id: `wait-${index + 1}`,
  handler: () => new Promise((resolve) => setTimeout(resolve, 500)),
}))

await report(async ({ orderId, prompt }) => {
  const events: [{ name: string; data: object }] = [{ name: 'video/ordered', data: { orderId, prompt } }]
  const engine = new InngestTestEngine({ function: makeVideo, events, steps: sleeps })
  const { result, error } = await engine.execute()
  if (error !== undefined) throw error
  return result
})
process.exit()
