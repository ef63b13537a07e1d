import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { JobCancelledError, ModelRun, type RunResult } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { showLine, showProgress, startCredits } from './console.ts'
import { startReceiver } from './webhook-receiver.ts'

// The whole service on this machine, with a clock that runs 60 times as fast.
const server = createReferenceServer({ clock: { scale: 60 } })
const { url, close } = await listen(server)
const client = new ModelRun({ apiKey: server.apiKey, baseUrl: url })
const credits = startCredits(() => server.credits())

async function finish(result: RunResult): Promise<void> {
  const files = await client.files.save(result, 'demo-output')
  showLine(`  ${credits.spent()} credits charged, saved ${files.join(', ')}`)
}

showLine('Models, and the credits that a run costs')
for await (const { id, category, pricing } of client.models.list()) {
  showLine(`  ${id.padEnd(28)}${category.padEnd(18)}${pricing.credits_per_run}`)
}

showLine('A fast model: the service holds the request and responds with 200 with the result')
await finish(await client.run('aurora-image', { prompt: 'a red fox in the snow' }))

showLine('A slow model: the service responds with 202, and the client polls to the end')
const progress = showProgress()
const onStatus = progress.show
await finish(await client.run('lumen/aurora-video', { prompt: 'waves at dusk' }, { onStatus }).finally(progress.end))

showLine('By webhook: the service delivers twice, the inbox works once')
server.script('aurora-image', [{ result: 'succeeded', webhook: { deliveries: 2 } }])
const inbox = createInbox({ client, onSucceeded: (event) => showLine(`  handled ${event.job_id}`) })
const receiver = await startReceiver(inbox)
const job = await client.submit('aurora-image', { prompt: 'a lighthouse' }, { webhookUrl: receiver.url })
await inbox.waitFor(job.id)
for (const delivery of [await server.webhooks.next(), await server.webhooks.next()]) {
  showLine(`  delivery ${delivery.outcome}, response ${delivery.status}`)
}
await finish(await job.result())

showLine('Cancelled: it costs nothing')
const unwanted = await client.submit('lumen/aurora-video', { prompt: 'never mind' })
await unwanted.cancel()
await unwanted.result().catch((error) => {
  if (!(error instanceof JobCancelledError)) throw error
})
showLine(`  ${credits.spent()} credits charged`)

receiver.close()
await close()
