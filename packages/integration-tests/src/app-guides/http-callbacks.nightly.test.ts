import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listen } from '@modelrun/reference-server/node'
import { ModelRun } from 'modelrun'
import { createInbox, type InboxOptions } from 'modelrun/webhooks'
import { expect, test } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'
import { lanAddress, lanNote } from './lan-address.ts'

/** A service and an app with an inbox, each at the address of this machine in its network. */
async function open(options: InboxOptions, allowPrivateWebhooks: boolean) {
  const host = lanAddress ?? ''
  const server = createCheckedServer({ clock: { scale: 10 } })
  const service = await listen(server, { host, allowPrivateWebhooks })
  const client = new ModelRun({ apiKey: server.apiKey, baseUrl: service.url, maxRetries: 0 })
  const app = createServer((request, response) => void inbox.node()(request, response))
  await new Promise<void>((resolve) => app.listen(0, host, resolve))
  const { port } = app.address() as AddressInfo // it listens on TCP
  const inbox = createInbox({
    client,
    secret: 'a secret of thirty-two bytes, or more',
    publicUrl: `http://${host}:${port}/w`,
    allowHttp: true,
    ...options,
  })
  const close = async () => {
    await inbox.drain()
    app.close()
    app.closeAllConnections()
    await service.close()
    await server.close()
  }
  return { server, client, inbox, [Symbol.asyncDispose]: close }
}

test.skipIf(lanAddress === undefined)(
  `a service delivers over http to an inbox of another host${lanNote}`,
  async () => {
    const handled: string[] = []
    const onSucceeded: InboxOptions['onSucceeded'] = (event, { source }) => handled.push(`${event.job_id} by ${source}`)
    await using hosts = await open({ onSucceeded }, true)
    const job = await hosts.client.submit('aurora-image', { prompt: 'a red fox' }, { webhook: hosts.inbox })
    await hosts.inbox.waitFor(job.id)
    expect(handled).toEqual([`${job.id} by webhook`])
    expect(hosts.server.webhooks.deliveries()).toMatchObject([{ outcome: 'delivered', status: 202 }])
  },
)

test.skipIf(lanAddress === undefined)(
  `a service without private webhooks says which option it needs${lanNote}`,
  async () => {
    await using hosts = await open({}, false)
    const run = hosts.client.submit('aurora-image', { prompt: 'a red fox' }, { webhook: hosts.inbox })
    await expect(run).rejects.toThrow('--allow-private-webhooks')
  },
)
