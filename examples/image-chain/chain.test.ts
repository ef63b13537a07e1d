import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'

async function runChain(service: ReferenceServer, folder: string): Promise<string> {
  const { url, close } = await listen(service)
  const env = { ...process.env, MODELRUN_API_KEY: service.apiKey, MODELRUN_BASE_URL: url }
  const command = [...process.execArgv, join(import.meta.dirname, 'chain.ts'), 'a red fox', folder]
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { env })
    return stdout + stderr
  } catch (error) {
    return Object(error).stderr
  } finally {
    await close()
  }
}

test('each run takes the file of the one before', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'image-chain-'))
  const service = createReferenceServer({ clock: { scale: 60 } })
  const output = await runChain(service, folder)
  assert.match(output, /video: processing/)
  assert.deepEqual((await readdir(folder)).map((name) => name.split('.').at(-1)).sort(), ['mp4', 'png'])
  const inputs = service.journal.text().match(/POST \/v1\/models\/\S+/g)
  assert.equal(inputs?.length, 3)
  await rm(folder, { recursive: true })
})

test('a failed video says why, and its image was paid alone', async () => {
  const service = createReferenceServer({ clock: { scale: 60 } })
  service.script('kinora/reel-pro', [
    { result: 'failed', error: { code: 'PROVIDER_FAILURE', message: 'out of video' } },
  ])
  assert.match(await runChain(service, tmpdir()), /out of video/)
  assert.ok(10_000 - service.credits() < 10)
})
