import { ModelRun } from 'modelrun'
import { testDoors } from '../../kit/test/option-doors.ts'
import { createBullmqEngine } from './bullmq/bullmq-engine.ts'
import { createMarks } from './marks/marks.ts'
import { createPostgresEngine } from './postgres/postgres-engine.ts'
import { createRuns } from './runs/create-runs.ts'
import { createSqliteEngine } from './sqlite/sqlite-engine.ts'

const engine = createSqliteEngine({ path: ':memory:' })
const client = new ModelRun({ apiKey: 'sk_test_1', baseUrl: 'http://localhost:1' })

testDoors({
  createSqliteEngine: (options) => createSqliteEngine({ path: ':memory:', ...options }),
  createPostgresEngine: (options) => createPostgresEngine(async () => [], options),
  createBullmqEngine: (options) => createBullmqEngine({ connection: 'redis://localhost:1', ...options }),
  createMarks: (options) => createMarks('sqlite', options),
  createRuns: (options) => createRuns({ engine, client, ...options }),
})
