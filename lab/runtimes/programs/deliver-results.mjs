import { createReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'

/**
 * Runs a model with the callback addresses of a receiver, and gives the facts to compare. The reference server delivers
 * the result twice; `post` is a `fetch` that reaches the receiver.
 */
export async function deliverResults({ callbackUrl, post, handled }) {
  // A request of Node is none of another runtime: it is passed on in parts.
  const deliver = async (request) => post(request.url, { method: 'POST', body: await request.text() })
  const server = createReferenceServer({ latency: 0, deliver }) // in real time: a busy machine is slow to respond
  const client = new ModelRun(server.clientOptions())
  server.script('aurora-image', [{ result: 'succeeded', webhook: { deliveries: 2 } }])
  const webhookUrl = await callbackUrl()
  const { id } = await client.submit('aurora-image', { prompt: 'a fox' }, { webhookUrl })
  const deliveries = [await server.webhooks.next(), await server.webhooks.next()]
  const statusOf = async (url, body) => (await post(url, { method: 'POST', body })).status
  const rejections = {
    malformed: await statusOf(await callbackUrl(), '{"job_id":'),
    tooLarge: await statusOf(await callbackUrl(), 'x'.repeat(300_000)),
    unsigned: await statusOf(webhookUrl.replace(/\?.*/, ''), '{}'),
  }
  const ids = await until(handled, ({ length }) => length > 0)
  await server.close()
  return { outcomes: deliveries.map(({ outcome }) => outcome), rejections, handledOnce: ids.join() === id }
}

/** The work comes after the response. */
async function until(poll, isDone) {
  for (let tries = 0; tries < 200; tries++) {
    const found = await poll()
    if (isDone(found)) return found
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('The result was not handled within 2 s.')
}
