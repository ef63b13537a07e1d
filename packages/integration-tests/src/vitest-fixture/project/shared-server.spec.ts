// As own-server.spec.ts, on one server for all tests.
import { createReferenceServer } from '@modelrun/reference-server'
import { createTest } from '@modelrun/reference-server/vitest'
import { ModelRun } from 'modelrun'
import { expect } from 'vitest'

const PROMPT = { prompt: 'a fox' }

const server = createReferenceServer({ clock: 'auto' })
const test = createTest({ server, keyOptions: { credits: 10 } })

for (const neighbour of [1, 2, 3]) {
  test.concurrent(`sees nothing of its neighbours (${neighbour})`, async ({ clientOptions, apiKey }) => {
    await new ModelRun(clientOptions).run('aurora-image', PROMPT)
    expect(server.credits(apiKey)).toBe(6)
  })
}

test.concurrent('alone fails for what it leaves', async ({ clientOptions }) => {
  await new ModelRun(clientOptions).submit('lumen/aurora-video', PROMPT).catch(() => {})
  await new ModelRun(clientOptions).submit('aurora-image', PROMPT)
})
