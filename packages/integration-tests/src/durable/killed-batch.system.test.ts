import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createRuns } from '@modelrun/durable'
import { listen } from '@modelrun/reference-server/node'
import { ModelRun } from 'modelrun'
import { describe, expect, it } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'
import { ENGINE_STORES } from './engine-stores.ts'
import { MODEL } from './runs-harness.ts'
import { jobOf, posts } from './sent-runs.ts'
import { useStore } from './use-store.ts'

const KEYS = Number(process.env.BATCH_KEYS ?? 60)
const KILLS = Number(process.env.BATCH_KILLS ?? 4)
const program = fileURLToPath(new URL('batch-process.ts', import.meta.url))

describe.each(ENGINE_STORES)('a batch on $title', (engineStore) => {
  const { isMissing } = engineStore
  const store = useStore(engineStore)

  it.skipIf(isMissing)(`sends ${KEYS} keys at most once each while ${KILLS} processes are killed`, async () => {
    const { engine, engineAt } = store()
    const server = createCheckedServer({ clock: 'system', latency: 40, credits: 1_000_000 })
    const listening = await listen(server, { port: 0 })
    const { apiKey, baseUrl } = server
    const start = () => {
      const settings = JSON.stringify({ engineAt, baseUrl, apiKey, keys: KEYS, model: MODEL })
      return spawn(process.execPath, ['--conditions=@modelrun/source', program, settings], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
    }
    const children = [start(), start()]
    for (let kills = 0; kills < KILLS; kills += 1) {
      const sent = ((kills + 1) * KEYS) / (KILLS + 2)
      await expect.poll(() => Object.keys(posts(server)).length, { interval: 10 }).toBeGreaterThan(sent)
      const index = kills % children.length
      await kill(children[index])
      children[index] = start()
    }
    await Promise.all(children.map((child) => (child.exitCode === null ? once(child, 'exit') : undefined)))

    expect(Math.max(...Object.values(posts(server)))).toBe(1)
    const runs = createRuns({ engine, client: new ModelRun({ apiKey, baseUrl }) })
    const progress = await runs.progress()
    expect(progress).toMatchObject({ total: KEYS, waiting: 0, running: 0, done: KEYS - progress.unknown })
    // Each death can leave the runs unknown that it was sending, and no other.
    expect(progress.unknown).toBeLessThanOrEqual(KILLS * 10)
    for await (const run of runs.results()) expect(run.state).toBe('succeeded')
    // The jobs of unknown runs are at the service: each is found by hand.
    for (const { key } of await runs.unknown()) {
      const jobId = jobOf(server, key)
      if (jobId !== undefined) await runs.resolve(key, { jobId })
      else await runs.resubmit(key)
    }
    runs.start()
    const states: string[] = []
    for await (const run of runs.results()) states.push(run.state)
    expect(states).toEqual(Array.from({ length: KEYS }, () => 'succeeded'))
    expect(Math.max(...Object.values(posts(server)))).toBe(1)
    await runs.stop()
    await listening.close()
  })
})

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
