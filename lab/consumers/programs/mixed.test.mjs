// One program with both builds, as when a package that it uses has `require('modelrun')` and it has `import`.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createSqliteEngine as esmSqlite } from '@modelrun/durable/sqlite'
import { createReferenceServer } from '@modelrun/reference-server'
import ky from 'ky'
import * as esm from 'modelrun'
import * as esmWebhooks from 'modelrun/webhooks'

const require = createRequire(import.meta.url)
const cjs = require('modelrun')
const cjsWebhooks = require('modelrun/webhooks')
const { createSqliteEngine: cjsSqlite } = require('@modelrun/durable/sqlite')
const cjsServer = require('@modelrun/reference-server')

const builds = [
  {
    name: 'CommonJS beside ES modules',
    one: cjs,
    other: esm,
    webhooks: cjsWebhooks,
    createEngine: cjsSqlite,
    ends: esmWebhooks,
  },
  {
    name: 'ES modules beside CommonJS',
    one: esm,
    other: cjs,
    webhooks: esmWebhooks,
    createEngine: esmSqlite,
    ends: cjsWebhooks,
  },
]

test('there are two builds', () => {
  assert.notEqual(esm.ModelRun, cjs.ModelRun)
  assert.deepEqual(Object.keys(esm).sort(), Object.keys(cjs).sort())
})

for (const { name, one, other, webhooks, createEngine, ends } of builds) {
  const createClient = (build, options) =>
    new build.ModelRun({ ...createReferenceServer({ clock: 'auto' }).clientOptions(), ...options })

  test(`${name}: errors are of the classes of both`, async () => {
    const error = await createClient(one)
      .run('no-such-model', {})
      .catch((reason) => reason)
    for (const build of [one, other]) {
      assert.ok(error instanceof build.NotFoundError)
      assert.ok(error instanceof build.ApiError)
      assert.ok(error instanceof build.ModelRunError)
      assert.ok(!(error instanceof build.RateLimitError))
      assert.ok(!(error instanceof build.ConfigurationError))
    }
  })

  test(`${name}: a handle of one is a job for the other`, async () => {
    const server = createReferenceServer({ clock: 'auto' })
    const job = await new one.ModelRun(server.clientOptions()).submit('aurora-image', { prompt: 'x' })
    const client = new other.ModelRun(server.clientOptions())
    const settled = await Array.fromAsync(client.jobs.settle([job]))
    assert.deepEqual(
      settled.map(({ status, job_id }) => [status, job_id]),
      [['fulfilled', job.id]],
    )
    assert.equal((await client.jobs.attach(job).result()).job_id, job.id)
  })

  test(`${name}: an inbox of one receives for a client of the other`, async () => {
    const handled = []
    const deliver = (request) => inbox.handle(request)
    const server = cjsServer.createReferenceServer({ clock: 'auto', deliver })
    const client = new other.ModelRun(server.clientOptions())
    const inbox = webhooks.createInbox({
      client,
      secret: 'a secret of thirty-two bytes, or more',
      publicUrl: 'https://app.example.com/webhooks',
      onSucceeded: ({ job_id }) => {
        handled.push(job_id)
      },
    })
    const { job_id } = await client.run('aurora-image', { prompt: 'x' }, { webhook: inbox })
    await inbox.drain()
    assert.deepEqual(handled, [job_id])
  })

  test(`${name}: an engine of one understands how a handler of the other ends`, async () => {
    const engine = createEngine({ path: ':memory:', pollMs: 20 })
    await engine.setup()
    for (const id of ['again', 'permanent']) await engine.add('tasks', id, { data: null })
    let runs = 0
    engine.work('tasks', async ({ id, attempt }) => {
      if (id === 'permanent') throw new ends.NonRetriableError('no_paper', 'There is no paper.')
      runs += 1
      if (runs < 3) throw new ends.RetryAfterError(1)
      return attempt
    })
    const isOpen = async () => (await engine.count('tasks')).dead + (await engine.count('tasks')).done < 2
    while (await isOpen()) await setTimeout(10)
    assert.equal((await engine.get('tasks', 'again')).result, 1)
    assert.equal((await engine.get('tasks', 'permanent')).error.code, 'no_paper')
    await engine.close()
  })

  test(`${name}: a ky instance of the user's carries the calls`, async () => {
    const seen = []
    const hooks = { beforeRequest: [({ request }) => void seen.push(new URL(request.url).pathname)] }
    const client = createClient(one, { ky: ky.create({ hooks }) })
    assert.equal((await client.run('aurora-image', { prompt: 'x' })).status, 'succeeded')
    await assert.rejects(client.models.get('no-such-model'), one.NotFoundError)
    assert.deepEqual(seen, ['/v1/models/aurora-image/run', '/v1/models/no-such-model'])
  })
}
