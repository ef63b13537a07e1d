/** A durable batch on SQLite in this process, with the reference server in it: from the first add to the last result. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuns } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { createReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'

export interface SpeedJob {
  keys: number
  /** Runs that are sent at once. */
  concurrency: number
}

export interface SpeedResult {
  keysPerSecond: number
  /** Processor time of this process for each key, in milliseconds. */
  cpuMs: number
}

const { keys, concurrency } = JSON.parse(process.argv[2] ?? '') as SpeedJob // written by the parent
const folder = mkdtempSync(join(tmpdir(), 'modelrun-speed-'))
const server = createReferenceServer({ latency: 0, clock: 'system', credits: Number.MAX_SAFE_INTEGER })
const engine = createSqliteEngine({ path: join(folder, 'runs.db') })
await engine.setup()
const client = new ModelRun(server.clientOptions())
const runs = createRuns({ engine, client, concurrency, pollRate: { max: 100_000, perMs: 1_000 } })

const startedAt = performance.now()
const cpuBefore = process.cpuUsage()
await Promise.all(
  Array.from({ length: keys }, (_, index) =>
    runs.add(`poster-${index}`, 'aurora-image', { prompt: `a red fox, take ${index}` }),
  ),
)
runs.start()
let succeeded = 0
for await (const { state } of runs.results()) succeeded += Number(state === 'succeeded')
const seconds = (performance.now() - startedAt) / 1_000
const { user, system } = process.cpuUsage(cpuBefore)
if (succeeded !== keys) throw new Error(`${succeeded} of ${keys} runs succeeded.`)
await runs.stop()
await engine.close()
rmSync(folder, { recursive: true })
const result: SpeedResult = { keysPerSecond: keys / seconds, cpuMs: (user + system) / 1_000 / keys }
process.stdout.write(JSON.stringify(result), () => process.exit())
