import { DBOS } from '@dbos-inc/dbos-sdk'
import { report } from '../program.ts'
import { makeVideo } from './video.ts'

DBOS.setConfig({ name: 'videos', systemDatabaseUrl: process.env.DBOS_DATABASE_URL ?? '', logLevel: 'error' })
await DBOS.launch()
await report(async ({ orderId, prompt, id }) => {
  const workflow = await DBOS.startWorkflow(makeVideo, { workflowID: id })(orderId, prompt)
  return await workflow.getResult()
})
await DBOS.shutdown()
process.exit()
