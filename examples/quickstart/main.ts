import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { isJobCancelledError, ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { startReceiver } from './webhook-receiver.ts'

// The whole service, on this machine, 60 times as fast as the real one.
const server = createReferenceServer({ clock: { scale: 60 } })
const { url, close } = await listen(server)
const client = new ModelRun({ apiKey: server.apiKey, baseUrl: url })
const show = (what: string, more = '') => console.log(`${what.padEnd(34)}${more}`)
const save = async (result: Awaited<ReturnType<typeof client.run>>) => {
  const files = await client.files.save(result, 'demo-output')
  show('', `${result.credits_used ?? '?'} credits, saved ${files.join(', ')}`)
}

// List the models.
for await (const model of client.models.list())
  show(model.id, `${model.category}, ${model.pricing.credits_per_run} credits`)

// Run a fast model: the service holds the request and answers with the result.
show('\naurora-image, synchronous')
await save(await client.run('aurora-image', { prompt: 'a red fox in the snow' }))

// Run a slow model: the service answers 202, and the client polls to the end.
show('\nlumen/aurora-video, 202 and polling')
await save(
  await client.run('lumen/aurora-video', { prompt: 'waves at dusk' }, { onStatus: (job) => show('', job.status) }),
)

// Get a result by webhook. The server delivers it twice; the inbox works once.
show('\naurora-image, by webhook')
server.script('aurora-image', [{ result: 'succeeded', webhook: { deliveries: 2 } }])
const inbox = createInbox({ client, onSucceeded: (event) => show('', `handled ${event.job_id}`) })
const receiver = await startReceiver(inbox)
const job = await client.submit('aurora-image', { prompt: 'a lighthouse' }, { webhookUrl: receiver.url })
await inbox.waitFor(job.id)
const [first, second] = [await server.webhooks.next(), await server.webhooks.next()]
show('', `deliveries: ${first.outcome}, ${second.outcome} (the duplicate was ignored)`)
await save(await job.result())

// Cancel a job: it costs nothing.
show('\nlumen/aurora-video, cancelled')
const creditsBefore = server.credits()
const cancelled = await client.submit('lumen/aurora-video', { prompt: 'never mind' })
await cancelled.cancel()
await cancelled.result().catch((error) => {
  if (!isJobCancelledError(error)) throw error
})
show('', `${creditsBefore - server.credits()} credits`)

receiver.close()
await close()
