import { createRuns } from '@modelrun/durable'
import { createPostgresEngine } from '@modelrun/durable/postgres'
import { ModelRun } from 'modelrun'
import pg from 'pg'

const ANIMALS = ['ant', 'bat', 'cat', 'dog', 'eel', 'fox', 'gnu', 'hen', 'ibis', 'jay', 'kiwi', 'lynx']

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
// Without these listeners a restart of the database ends the process.
pool.on('error', console.error)
pool.on('connect', (connection) => connection.on('error', () => {}))

const engine = createPostgresEngine(pool)
await engine.setup()
const runs = createRuns({
  engine,
  client: new ModelRun(), // MODELRUN_API_KEY and MODELRUN_BASE_URL
  name: 'posters',
  // Over all processes.
  maxCredits: 100,
  maxRunning: 6,
  // The runs of a process that died are continued after this time.
  lockMs: 5_000,
})

const posters = ANIMALS.map((animal) => ({ key: animal, input: { prompt: `a red ${animal}` } }))
for await (const { item, run } of runs.runEach('aurora-image', posters)) {
  console.log(item.key, run.state, run.output?.items[0]?.url ?? '')
}
await engine.close()
await pool.end()
