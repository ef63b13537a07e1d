const { createReferenceServer } = require('@modelrun/reference-server')
const { ModelRun } = require('modelrun')
const { draw } = require('./app.cjs')

const server = createReferenceServer({ clock: 'auto' })
const client = new ModelRun(server.clientOptions())

// Fails a test that leaves a job, a webhook, a script or a fault behind, and empties the server.
afterEach(() => server.checkLeftovers())

test('a video that takes two minutes takes no time', async () => {
  server.script('aurora-image', [{ result: 'succeeded', after_ms: 120_000 }])
  expect(await draw(client)).toEqual({ url: expect.stringMatching(/\.png$/) })
})

test('a failed job', async () => {
  server.script('aurora-image', [{ result: 'failed', error: { code: 'PROVIDER_FAILURE', message: 'out of paint' } }])
  await draw(client)
  expect(server.credits()).toBe(10_000)
})
