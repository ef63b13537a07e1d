import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { expect, it, vi } from 'vitest'

const app = fileURLToPath(new URL('./app.ts', import.meta.url))
// A process that was killed holds its runs for 10 s.
const PATIENCE = { timeout: 60_000, interval: 50 }

it('continues with its batch and its results after it was killed, and counts each once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-durable-inbox-'))
  const server = createReferenceServer({ clock: 'system', latency: 300 })
  server.webhooks.script({ deliveries: 2 })
  const { url, close } = await listen(server)
  const env = {
    ...process.env,
    MODELRUN_API_KEY: server.apiKey,
    MODELRUN_BASE_URL: url,
    DATA_FOLDER: folder,
    PORT: '0',
  }
  let output = ''
  const start = (): ChildProcess => {
    const child = spawn(process.execPath, ['--conditions=@modelrun/source', app], { env })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
    return child
  }
  const port = () => vi.waitFor(() => /listens on (\d+)/.exec(output)?.[1] ?? expect.fail(output), PATIENCE)

  const first = start()
  const killed = once(first, 'exit')
  await port()
  // Between two runs: one that was being sent would be unknown, and wait for a decision.
  await vi.waitFor(() => expect(output).toContain('succeeded'), PATIENCE)
  first.kill('SIGKILL')
  await killed

  output = ''
  const second = start()
  const ended = once(second, 'exit')
  const jobId = (await (await fetch(`http://127.0.0.1:${await port()}/start`)).text()).trim()
  await vi.waitFor(() => expect(output).toContain(`saved ${jobId} by webhook`), PATIENCE)
  await vi.waitFor(() => expect(output).toContain('batch: 6 done, 0 unknown, 24 credits'), PATIENCE)
  second.kill('SIGTERM')
  await expect(ended).resolves.toEqual([0, null])

  const database = new DatabaseSync(join(folder, 'results.db'))
  expect(database.prepare('SELECT count(*) AS count FROM results').get()).toEqual({ count: 7 })
  expect(server.credits()).toBe(10_000 - 7 * 4)
  database.close()
  await close()
  await rm(folder, { recursive: true })
}, 120_000)
