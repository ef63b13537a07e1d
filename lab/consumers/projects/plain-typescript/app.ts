// Run by Node itself, which removes the types: `node app.ts`. Its `package.json` says `"type": "module"`.
import assert from 'node:assert/strict'
import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import { InsufficientCreditsError, ModelRun, type RunResult } from 'modelrun'

declare module 'modelrun' {
  interface ModelInputs {
    'aurora-image': { prompt: string; num_images?: number }
  }
}

interface Image {
  url: string
  credits: number
}

async function draw(client: ModelRun, prompt: string): Promise<Image[]> {
  const result: RunResult = await client.run('aurora-image', { prompt, num_images: 2 })
  const credits = result.credits_used ?? result.credits_per_run ?? 0
  return result.output.items.map(({ url }) => ({ url, credits }) satisfies Image)
}

const server: ReferenceServer = createReferenceServer({ clock: 'auto', credits: 9 })
const client = new ModelRun(server.clientOptions())
const images = await draw(client, 'a red fox')
assert.deepEqual(
  images.map(({ url, credits }) => [URL.canParse(url), credits]),
  [
    [true, 4],
    [true, 4],
  ],
)
assert.equal(server.credits(), 5)

await draw(client, 'another')
await assert.rejects(draw(client, 'one too many'), (error: unknown) => error instanceof InsufficientCreditsError)

for await (const model of client.models.list({ category: 'text-to-video' })) {
  const name: string = model.name
  assert.ok(name !== '')
}
