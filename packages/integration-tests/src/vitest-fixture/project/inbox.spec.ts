import { createReferenceServer } from '@modelrun/reference-server'
import { createTest, type InboxSetting } from '@modelrun/reference-server/vitest'
import { ModelRun } from 'modelrun'
import { createInbox, type DeliveryContext } from 'modelrun/webhooks'
import { expect } from 'vitest'

const PROMPT = { prompt: 'a fox' }

/** What the handlers of each test were given. */
const handled = new WeakMap<object, DeliveryContext[]>()

function inboxOf({ clientOptions, secret, publicUrl }: InboxSetting) {
  const contexts: DeliveryContext[] = []
  const client = new ModelRun(clientOptions)
  const inbox = createInbox({
    client,
    secret,
    publicUrl,
    onHandlerError: () => {},
    onSucceeded: (_event, context) => {
      contexts.push(context)
      if (context.context === 'fail once' && context.attempt === 1) throw new Error('not yet')
    },
  })
  handled.set(inbox, contexts)
  return inbox
}

const test = createTest({ inbox: inboxOf })
const sharedTest = createTest({ server: createReferenceServer({ clock: 'auto' }), inbox: inboxOf })

test('has an inbox whose handler gets the context of its run', async ({ inbox, clientOptions }) => {
  const client = new ModelRun(clientOptions)
  const { job_id } = await client.run('aurora-image', PROMPT, { webhook: inbox, context: { order: 7 } })
  await inbox.waitFor(job_id)
  expect(handled.get(inbox)).toMatchObject([{ context: { order: 7 }, source: 'webhook' }])
})

test('has an inbox on the time of its server', async ({ inbox, clientOptions, server }) => {
  server.webhooks.script({ deliveries: 0 })
  const job = await new ModelRun(clientOptions).submit('aurora-image', PROMPT, { webhook: inbox, context: 'fail once' })
  await inbox.waitFor(job.id)
  expect(handled.get(inbox)).toMatchObject([
    { attempt: 1, source: 'poll' },
    { attempt: 2, source: 'poll' },
  ])
})

for (const neighbour of [1, 2, 3]) {
  sharedTest.concurrent(`shares a server, and has an inbox alone (${neighbour})`, async ({ inbox, clientOptions }) => {
    const client = new ModelRun(clientOptions)
    const { job_id } = await client.run('aurora-image', PROMPT, { webhook: inbox, context: neighbour })
    await inbox.waitFor(job_id)
    expect(handled.get(inbox)).toMatchObject([{ context: neighbour, source: 'webhook' }])
  })
}
