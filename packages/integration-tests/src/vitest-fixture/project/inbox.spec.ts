// An inbox as a fixture, as the guide makes it.
import { createReferenceServer } from '@modelrun/reference-server'
import { createTest, type ServerTest } from '@modelrun/reference-server/vitest'
import { ModelRun } from 'modelrun'
import { createInbox, type Inbox } from 'modelrun/webhooks'
import { expect } from 'vitest'

const withInbox = (test: ServerTest, seen: unknown[]) =>
  test.extend<{ inbox: Inbox }>({
    inbox: async ({ server, clientOptions, apiKey }, use) => {
      const inbox = createInbox({
        client: new ModelRun(clientOptions),
        secret: 'the secret of a test: 32 bytes or more',
        publicUrl: 'https://inbox.test/webhooks',
        onSucceeded: (_event, { context, source }) => void seen.push([context, source]),
      })
      server.webhooks.deliver((request) => inbox.handle(request), apiKey)
      await use(inbox)
      await inbox.drain()
    },
  })

const server = createReferenceServer({ clock: 'auto' })

for (const [name, options, context] of [
  ['own', {}, 'own'],
  ['shared', { server }, 'shared'],
] as const) {
  const seen: unknown[] = []
  withInbox(createTest(options), seen)(`has an inbox on its ${name} server`, async ({ inbox, clientOptions }) => {
    const client = new ModelRun(clientOptions)
    const { job_id } = await client.run('aurora-image', { prompt: 'a fox' }, { webhook: inbox, context })
    await inbox.waitFor(job_id)
    expect(seen).toEqual([[context, 'webhook']])
  })
}
