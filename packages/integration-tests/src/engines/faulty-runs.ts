// In place of `runs.ts` of the recipes.
import { createRuns, type Runs } from '@modelrun/durable'
import { createPostgresEngine } from '@modelrun/durable/postgres'
import { ConfigurationError, InputValidationError, ModelRun } from 'modelrun'
import pg from 'pg'
import type { Plan } from './order.ts'
import { underFaults } from './under-faults.ts'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 4 })
pool.on('error', () => {})
const opened = new Map<string, Promise<Runs>>()

function open(plan: Plan): Promise<Runs> {
  const opening = opened.get(plan.apiKey) ?? openBatch(plan)
  opened.set(plan.apiKey, opening)
  return opening
}

async function openBatch({ apiKey, baseUrl, fault }: Plan): Promise<Runs> {
  const engine = createPostgresEngine(fault === 'lost-store' ? lossyQuery : pool, { onError: () => {} })
  await createPostgresEngine(pool).setup()
  return createRuns({ engine, client: new ModelRun({ apiKey, baseUrl }), name: 'videos', lockMs: LOCK_MS })
}

const LOST_EVERY = 7
/** A task whose lock has no owner, because the response was lost, waits this long. */
const LOCK_MS = 10_000
let statements = 0

/** The statement is run, and one response in seven is lost. */
async function lossyQuery(text: string, values: unknown[]) {
  const result = await pool.query(text, values)
  statements += 1
  if (statements % LOST_EVERY === 0) throw new Error('The response of the store is lost.')
  return result
}

export async function openRuns(): Promise<Runs> {
  return underFaults({ controlUrl: process.env.CONTROL_URL ?? '', open, die })
}

async function die(): Promise<never> {
  if (process.env.DEATH !== 'SIGKILL') throw new Error('The report of this step is lost.')
  process.kill(process.pid, 'SIGKILL')
  return await new Promise(() => {})
}

export function isMistake(error: unknown): error is ConfigurationError | InputValidationError {
  return error instanceof ConfigurationError || error instanceof InputValidationError
}
