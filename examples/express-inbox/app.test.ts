import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = Object(server.address()).port
  server.close()
  await once(server, 'close')
  return port
}

test('a result that comes twice, to a process that was killed, is stored once', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'express-inbox-'))
  const service = createReferenceServer({ clock: 'system', latency: 1_500 })
  service.webhooks.script({ deliveries: 2 })
  const { url, close } = await listen(service)
  const port = await freePort()
  const env = {
    ...process.env,
    MODELRUN_API_KEY: service.apiKey,
    MODELRUN_BASE_URL: url,
    DATA_FOLDER: folder,
    PORT: String(port),
  }
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, 'app.ts')], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout ?? child, 'data')
    return child
  }
  const app = `http://127.0.0.1:${port}`

  const first = await start()
  const body = JSON.stringify({ prompt: 'a lighthouse' })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${app}/images`, { method: 'POST', headers, body })
  assert.equal(response.status, 202)
  const { id } = await response.json()
  assert.equal((await fetch(`${app}/images/${id}`)).status, 404)
  first.kill('SIGKILL')
  await once(first, 'exit')

  const second = await start()
  const read = async () => {
    const { url } = await (await fetch(`${app}/images/${id}`)).json()
    assert.match(String(url), /\.png$/)
  }
  await t.waitFor(read, { timeout: 60_000 })
  await t.waitFor(() => assert.equal(service.webhooks.deliveries().length, 2), { timeout: 60_000 })
  second.kill('SIGTERM')
  assert.deepEqual(await once(second, 'exit'), [0, null])

  const database = new DatabaseSync(join(folder, 'images.db'))
  assert.equal(database.prepare('SELECT count(*) AS count FROM images').get()?.count, 1)
  database.close()
  assert.equal(service.credits(), 10_000 - 4)
  await close()
  await rm(folder, { recursive: true })
})
