import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createPostgresStore } from 'modelrun/webhooks/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { POSTGRES_PROGRAMS, type PostgresService, startPostgres } from '../services/postgres.ts'
import { needs } from '../services/programs.ts'
import { REDIS_PROGRAMS, startRedis } from '../services/redis.ts'
import type { Service } from '../services/service-process.ts'
import { walkThrough } from './walk-through.ts'

// What needs no database is run with the other documents.
const guide = await readFile(new URL('../../../../docs/guides/webhook-stores.md', import.meta.url), 'utf8')
const { isMissing, note } = needs(...REDIS_PROGRAMS, ...POSTGRES_PROGRAMS)

function block(language: string, heading: string): string {
  const section = guide.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(section)?.[1] ?? ''
}

describe.skipIf(isMissing)(`the guide of the stores${note}`, () => {
  let folder: string
  let redis: Service
  let postgres: PostgresService
  let pool: pg.Pool

  beforeAll(async () => {
    // Inside the package, so that its imports resolve.
    folder = await mkdtemp(fileURLToPath(new URL('../.documents-', import.meta.url)))
    ;[redis, postgres] = await Promise.all([startRedis(), startPostgres()])
    pool = new pg.Pool({ connectionString: postgres.url })
  })
  afterAll(async () => {
    await pool?.end()
    await Promise.all([redis?.stop(), postgres?.stop()])
    await rm(folder, { recursive: true })
  })

  async function run(program: string): Promise<{ stdout: string; stderr: string }> {
    const file = join(folder, 'program.mjs')
    await writeFile(file, program)
    const urls = { DATABASE_URL: postgres.url, REDIS_URL: `redis://127.0.0.1:${redis.port}` }
    const env = { ...process.env, ...urls, PGAPPNAME: 'guide', INBOX_SECRET: 'a secret of the test, 32 bytes long' }
    return await promisify(execFile)(process.execPath, ['--conditions=@modelrun/source', file], { env })
  }

  it('shows tables that the store takes as its own', async () => {
    await pool.query(block('sql', 'Postgres'))
    const schema = () =>
      pool.query(`SELECT c.*, i.indexdef FROM information_schema.columns c LEFT JOIN pg_indexes i ON i.tablename = c.table_name
        WHERE c.table_name LIKE 'modelrun_inbox%' ORDER BY c.table_name, c.ordinal_position, i.indexname`)
    const shown = await schema()
    const store = createPostgresStore({ query: (text, values) => pool.query(text, values) })
    await walkThrough(store)
    await pool.query('DROP TABLE modelrun_inbox, modelrun_inbox_refs')
    await store.migrate()
    expect(shown.rows.length).toBeGreaterThan(40)
    expect((await schema()).rows).toEqual(shown.rows)
  })

  it('shows a store in Redis that works', async () => {
    const program = `${block('js', 'Redis')}
      await store.expect('job', { pollInMs: 0 })
      console.log((await store.get('job')).state)
      redis.disconnect()`
    expect(await run(program)).toEqual({ stdout: 'expected\n', stderr: '' })
  })

  it('shows a handler whose effects are committed with the record', async () => {
    await pool.query('CREATE TABLE results (job_id text, output jsonb)')
    const program = `${block('js', 'Postgres')}
      const body = JSON.stringify({ job_id: 'job-1', status: 'succeeded', output: { type: 'image', items: [] },
        credits_used: 1, completed_at: '2026-01-01T00:00:00Z' })
      const url = await inbox.callbackUrl()
      const deliver = () => inbox.handle(
        new Request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }))
      const answers = await Promise.all([deliver(), deliver(), deliver()])
      await inbox.waitFor('job-1')
      console.log(answers.every(({ ok }) => ok), (await deliver()).status)
      await inbox.drain()
      await pool.end()`
    expect(await run(program)).toEqual({ stdout: 'true 200\n', stderr: '' })
    const { rows } = await pool.query('SELECT job_id, output, state FROM results JOIN modelrun_inbox ON key = job_id')
    expect(rows).toEqual([{ job_id: 'job-1', output: { type: 'image', items: [] }, state: 'done' }])
  })

  it('shows a pool that outlives a restart of the database', async () => {
    const program = `${block('js', 'Postgres')}
      const [taken, idle] = [await pool.connect(), await pool.connect()]
      idle.release()
      const broken = Promise.all([taken, idle].map((client) => new Promise((resolve) => client.once('end', resolve))))
      const other = new pg.Client({ connectionString: process.env.DATABASE_URL, application_name: 'other' })
      await other.connect()
      await other.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'guide'")
      await Promise.all([other.end(), broken])
      taken.release()
      console.log((await pool.query('SELECT 1 AS alive')).rows[0].alive)
      await pool.end()`
    const { stdout, stderr } = await run(program)
    expect([stdout, stderr]).toEqual(['1\n', expect.stringContaining('terminating connection')])
  })
})
