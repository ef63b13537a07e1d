import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'

const here = import.meta.dirname

test('a batch that was stopped continues, and a row is paid once', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'batch-csv-'))
  const service = createReferenceServer({ clock: 'system', latency: 300 })
  const { url, close } = await listen(service)
  t.after(async () => {
    await close()
    await rm(folder, { recursive: true })
  })
  const env = { ...process.env, MODELRUN_API_KEY: service.apiKey, MODELRUN_BASE_URL: url }
  const command = [...process.execArgv, join(here, 'batch.ts'), join(here, 'prompts.csv'), join(folder, 'results.csv')]

  const first = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(first.stdout, 'data')
  first.kill('SIGTERM')
  assert.deepEqual(await once(first, 'exit'), [1, null])

  for (const attempt of ['second', 'third']) {
    const { stdout } = await promisify(execFile)(process.execPath, command, { env })
    assert.match(stdout, /^5 rows, 16 credits, 0 unknown$/m, attempt)
  }
  const results = await readFile(join(folder, 'results.csv'), 'utf8')
  assert.match(results, /^"fox","succeeded","http\S+\.png",""$/m)
  assert.match(results, /^"wolf","rejected","",".*image_size/m)
  assert.equal(10_000 - service.credits(), 16)
})
