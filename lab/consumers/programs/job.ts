import { inspect } from 'node:util'
import { runConformance } from '@modelrun/conformance'
import { receiveWebhooks } from '@modelrun/conformance/node'
import { LIMITS } from '@modelrun/contract'
import { fixtures } from '@modelrun/contract/fixtures'
import { openApiDocument } from '@modelrun/contract/openapi'
import { createRuns } from '@modelrun/durable'
import { createMarks } from '@modelrun/durable/marks'
import { createPostgresEngine } from '@modelrun/durable/postgres'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { ModelRun, ModelRunError, NotFoundError, type RunResult, toDataUri } from 'modelrun'
import { createProxy } from 'modelrun/proxy'
import { createInbox, type InboxEngine, parseWebhook } from 'modelrun/webhooks'
import { deliver, succeededEvent } from 'modelrun/webhooks/testing'

/** What `doTheJob` finds when all is well. */
export const expected = {
  run: 'succeeded',
  webhooks: { status: 'succeeded', handled: 1 },
  rejected: [true, true, true],
  malformed: 'WebhookParseError',
  printed: 'ModelRun',
  overHttp: ['aurora-image', 200],
  byProxy: 200,
  engines: [['job_1'], ['job_1']],
  batch: ['a succeeded', 'b succeeded'],
  durable: ['function', 'function'],
  image: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
  // Under Jest the errors of Node are not `instanceof Error`.
  errorsOfNode: ['ENOENT', 'has no tables yet', 'ECONNREFUSED'],
  conformant: true,
  data: [20, 0, '3.1.1'],
}

/** What the users of the packages do first, with every part of them; gives facts to compare. */
export async function doTheJob(): Promise<unknown> {
  const server = createReferenceServer({ clock: 'auto' })
  const client = new ModelRun(server.clientOptions())
  const result: RunResult = await client.run('lumen/aurora-video', { prompt: 'waves at dusk' })
  const error: unknown = await client.run('no-such-model', {}).catch((reason: unknown) => reason)
  const engines = [undefined, createSqliteEngine({ path: ':memory:' })]
  return {
    run: result.status,
    webhooks: await runWithInbox(),
    rejected: [error instanceof NotFoundError, error instanceof ModelRunError, error instanceof NotFoundError],
    malformed: await parseWebhook('{').catch(({ name }: Error) => name),
    printed: inspect(client).split(' ', 1)[0],
    overHttp: await callOverHttp(server),
    byProxy: await callByProxy(client),
    engines: await Promise.all(engines.map(receiveWith)),
    batch: await runBatch(),
    durable: [createMarks, createPostgresEngine].map((each) => typeof each),
    image: await toDataUri(Buffer.from('R0lGODlhAQABAAAAACw=', 'base64')),
    errorsOfNode: await meetErrorsOfNode(server),
    conformant: await checkConformance(server),
    data: [LIMITS.modelsPageDefault, fixtures.models.listEmpty.body.models.length, openApiDocument.openapi],
  }
}

async function runWithInbox() {
  const handled: string[] = []
  const server = createReferenceServer({ clock: 'auto', deliver: (request) => inbox.handle(request) })
  const client = new ModelRun(server.clientOptions())
  const inbox = createInbox({
    client,
    secret: 'a secret of thirty-two bytes, or more',
    publicUrl: 'https://app.example.com/webhooks',
    onSucceeded: (event) => void handled.push(event.job_id),
  })
  const { status } = await client.run('aurora-image', { prompt: 'a red fox' }, { webhook: inbox })
  await inbox.drain()
  return { status, handled: handled.length }
}

async function receiveWith(engine: InboxEngine | undefined): Promise<string[]> {
  const handled: string[] = []
  const secret = 'a secret of thirty-two bytes, or more'
  const inbox = createInbox({ engine, secret, onSucceeded: (event) => void handled.push(event.job_id) })
  const url = await inbox.callbackUrl('https://app.example.com/webhooks')
  await deliver(inbox.handle, { events: succeededEvent({ job_id: 'job_1' }), url })
  await inbox.waitFor('job_1')
  await inbox.drain()
  return handled
}

async function runBatch(): Promise<string[]> {
  const client = new ModelRun(createReferenceServer({ clock: 'auto' }).clientOptions())
  const engine = createSqliteEngine({ path: ':memory:', pollMs: 20 })
  await engine.setup()
  const runs = createRuns({ engine, client })
  for (const key of ['a', 'b', 'a']) await runs.add(key, 'aurora-image', { prompt: key })
  runs.start()
  const finished: string[] = []
  for await (const { key, state } of runs.results()) finished.push(`${key} ${state}`)
  await runs.stop()
  await engine.close()
  return finished.sort()
}

async function callOverHttp(server: ReferenceServer) {
  const { url, close } = await listen(server)
  try {
    const client = new ModelRun({ apiKey: server.apiKey, baseUrl: url })
    const document = await fetch(`${url}/openapi.json`)
    return [(await client.models.get('aurora-image')).id, document.status]
  } finally {
    await close()
  }
}

async function callByProxy(client: ModelRun): Promise<number> {
  const secret = 'a secret of thirty-two bytes, or more'
  const proxy = createProxy({ client, secret, models: ['aurora-image'], authorize: () => ({ user: 'anna' }) })
  const headers = { 'sec-fetch-site': 'same-origin' }
  return (await proxy.handle(new Request('https://app.example.com/api/modelrun/v1/models', { headers }))).status
}

async function meetErrorsOfNode(server: ReferenceServer): Promise<string[]> {
  const { url, close } = await listen(server)
  await close()
  const unreachable = new ModelRun({ apiKey: server.apiKey, baseUrl: url, maxRetries: 0, logLevel: 'off' })
  const engine = createSqliteEngine({ path: ':memory:' })
  const failures: Promise<unknown>[] = [
    toDataUri('no-such-file.png'),
    engine.get('inbox:results', 'job_1'),
    unreachable.models.get('aurora-image'),
  ]
  const messages = await Promise.all(failures.map((failure) => failure.then(String, ({ message }: Error) => message)))
  return messages.map((message, index) => {
    const wanted = expected.errorsOfNode[index] ?? ''
    return message.includes(wanted) ? wanted : message
  })
}

async function checkConformance(server: ReferenceServer): Promise<boolean> {
  const receiver = await receiveWebhooks({ publicUrl: 'https://hooks.example.com' })
  const { baseUrl, apiKey, fetch, clock } = server
  const report = await runConformance({ baseUrl, apiKey, fetch, clock, only: ['auth'] })
  await receiver.close()
  return report.summary.fail === 0
}
