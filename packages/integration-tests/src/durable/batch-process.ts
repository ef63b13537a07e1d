// A process of a batch: works until the batch is done, and prints `done`. Started and killed by a test.
import { createRuns } from '@modelrun/durable'
import { ModelRun } from 'modelrun'
import { openEngine } from './open-engine.ts'

const { engineAt, baseUrl, apiKey, keys, model, name, role = 'worker' } = JSON.parse(process.argv[2] ?? '{}')
const engine = openEngine(engineAt)
await engine.setup()
const client = new ModelRun({ apiKey, baseUrl, maxRetries: 0 })
const runs = createRuns({ engine, client, name, lockMs: 1_000, pollRate: { max: 500, perMs: 1_000 } })
const all = Array.from({ length: keys }, (_, index) => `key-${index}`)

/** How a process takes part. */
const roles: Record<string, () => Promise<void>> = {
  async worker() {
    runs.start()
    for (const key of all) await runs.add(key, model, { prompt: key })
    for await (const run of runs.results()) if (run.state !== 'succeeded') console.error(run.key, run.state)
    await runs.stop()
  },
  /** As the steps of 20 workflows at a time, which repeat what rejected. */
  async sender() {
    const left = all.values()
    const sendNext = async () => {
      for (const key of left) {
        for (let afterMs: number | undefined = 0; afterMs !== undefined; ) {
          await new Promise((resolve) => setTimeout(resolve, afterMs))
          ;({ afterMs } = await runs.send(key, model, { prompt: key }).catch(() => ({ afterMs: 100 })))
        }
      }
    }
    await Promise.all(Array.from({ length: 20 }, sendNext))
  },
  /** As a function that a schedule starts again and again. */
  async sweeper() {
    for (;;) {
      const { done, unknown } = await runs.sweep({ forMs: 3_000 })
      if (done + unknown >= keys) return
    }
  },
}
await roles[role]?.()
await engine.close()
console.log('done')
