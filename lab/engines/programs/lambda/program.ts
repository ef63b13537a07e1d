import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing'
import { report } from '../program.ts'
import { handler } from './video.ts'

await LocalDurableTestRunner.setupTestEnvironment({ skipTime: false })
await report(async ({ orderId, prompt }) => {
  const runner = new LocalDurableTestRunner({ handlerFunction: handler })
  const execution = await runner.run({ payload: { orderId, prompt } })
  if (execution.getStatus() !== 'SUCCEEDED') throw new Error(execution.getError()?.errorMessage)
  return execution.getResult()
})
await LocalDurableTestRunner.teardownTestEnvironment()
process.exit()
