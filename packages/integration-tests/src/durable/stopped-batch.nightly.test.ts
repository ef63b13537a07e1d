import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createRuns } from '@modelrun/durable'
import { ModelRun } from 'modelrun'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'
import { ENGINE_STORES } from './engine-stores.ts'
import { MODEL, posts } from './runs-harness.ts'
import { useStore } from './use-store.ts'

const KEYS = 5
const program = fileURLToPath(new URL('batch-process.ts', import.meta.url))

/** A service over HTTP whose responses to `GET /models/…` wait until `release`. */
async function startHeldService() {
  const server = createCheckedServer({ clock: 'system', latency: 0 })
  const { fetch } = server.clientOptions()
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const state = { priceReads: 0, release: () => release(), server, baseUrl: '', isHeld: true }
  const front = createServer(async ({ method = '', url = '', headers }, response) => {
    const parts: Buffer[] = []
    for await (const part of response.req) parts.push(part)
    if (method === 'GET' && url.includes('/models/') && state.isHeld) {
      state.priceReads += 1
      await released
    }
    const body = parts.length === 0 ? null : Buffer.concat(parts)
    const theirs = await fetch(new URL(url, server.baseUrl), {
      method,
      headers: headers as Record<string, string>,
      body,
    })
    response.writeHead(theirs.status, { 'content-type': 'application/json' }).end(await theirs.text())
  })
  await once(front.listen(0, '127.0.0.1'), 'listening')
  const address = front.address()
  state.baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  onTestFinished(async () => {
    front.closeAllConnections()
    front.close()
    await server.close()
  })
  return state
}

describe.each(ENGINE_STORES)('a process that is away before it sends, on $title', (engineStore) => {
  const { isMissing } = engineStore
  const store = useStore(engineStore)

  it.skipIf(isMissing).each(['killed', 'stopped for longer than its locks'])(
    'and is %s parks no run, and sends none late',
    async (how) => {
      const { engine, engineAt } = store()
      const service = await startHeldService()
      const { server, baseUrl } = service
      const settings = { engineAt, baseUrl, apiKey: server.apiKey, keys: KEYS, model: MODEL, name: how }
      const child: ChildProcess = spawn(process.execPath, [
        '--conditions=@modelrun/source',
        program,
        JSON.stringify(settings),
      ])
      onTestFinished(() => void child.kill('SIGKILL'))
      // All are locked by the process, which reads their price.
      await expect.poll(() => engine.count(`${how}:submit`), { timeout: 20_000 }).toMatchObject({ running: KEYS })
      await expect.poll(() => service.priceReads).toBe(1)
      child.kill(how === 'killed' ? 'SIGKILL' : 'SIGSTOP')
      service.isHeld = false

      const client = new ModelRun({ ...server.clientOptions(), maxRetries: 0 })
      const runs = createRuns({ engine, client, name: how, lockMs: 1_000, pollRate: { max: 500, perMs: 1_000 } })
      runs.start()
      const states: string[] = []
      for await (const { state } of runs.results()) states.push(state)
      expect(states).toEqual(Array.from({ length: KEYS }, () => 'succeeded'))
      expect(await runs.progress()).toMatchObject({ total: KEYS, done: KEYS, unknown: 0, credits: 4 * KEYS })

      service.release()
      child.kill('SIGCONT')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      expect(Object.values(posts(server))).toEqual(Array.from({ length: KEYS }, () => 1))
      expect(await runs.progress()).toMatchObject({ total: KEYS, done: KEYS, unknown: 0, credits: 4 * KEYS })
      await runs.stop()
    },
    60_000,
  )
})
