import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createPostgresEngine } from '@modelrun/durable/postgres'
import { createInbox } from 'modelrun/webhooks'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksUnder, programFolder, readGuides } from '../guide-programs.ts'
import { POSTGRES_PROGRAMS, type PostgresService, startPostgres } from '../services/postgres.ts'
import { needs } from '../services/programs.ts'
import { REDIS_PROGRAMS, startRedis } from '../services/redis.ts'
import type { Service } from '../services/service-process.ts'

// Blocks that need no database are run with the other documents.
const guide = await readGuides('durable-engines.md', 'durable-operations.md')
const { isMissing, note } = needs(...REDIS_PROGRAMS, ...POSTGRES_PROGRAMS)

const block = (language: string, heading: string) => blocksUnder(guide, heading, language)[0] ?? ''

/** Delivers one result three times at once, and once more when it is handled. */
const DELIVER = `
  const body = JSON.stringify({ job_id: 'job-1', status: 'succeeded', output: { type: 'image', items: [] },
    credits_used: 1, completed_at: '2026-01-01T00:00:00Z' })
  const url = await inbox.callbackUrl()
  const deliver = () => inbox.handle(new Request(url, { method: 'POST', body }))
  const responses = await Promise.all([deliver(), deliver(), deliver()])
  await inbox.waitFor('job-1')
  const statuses = [...responses, await deliver()].map(({ status }) => status)
  console.log('responses', statuses.join())
  await inbox.drain()
  await engine.close()`

const SCHEMA = `
  SELECT c.table_name, c.column_name, c.data_type, c.is_nullable, c.column_default, i.indexdef
  FROM information_schema.columns c LEFT JOIN pg_indexes i ON i.tablename = c.table_name
  WHERE c.table_name LIKE 'modelrun_%' ORDER BY c.table_name, c.ordinal_position, i.indexname`

describe.skipIf(isMissing)(`the guide of durable${note}`, () => {
  const programs = programFolder()
  let redis: Service
  let postgres: PostgresService
  let pool: pg.Pool

  beforeAll(async () => {
    const settings = [...block('conf', 'Redis').matchAll(/^(\S+) (\S+)$/gm)].map(([, name, value]) => [name, value])
    expect(settings).toHaveLength(3)
    ;[redis, postgres] = await Promise.all([startRedis(Object.fromEntries(settings)), startPostgres()])
    pool = new pg.Pool({ connectionString: postgres.url })
    pool.on('error', () => {})
    await pool.query('CREATE TABLE results (job_id text, output jsonb)')
  })
  afterAll(async () => {
    await pool?.end()
    await Promise.all([redis?.stop(), postgres?.stop()])
  })

  async function run(program: string): Promise<{ stdout: string; stderr: string }> {
    const args = await programs.write('program.mjs', program)
    const urls = { DATABASE_URL: postgres.url, REDIS_URL: `redis://127.0.0.1:${redis.port}` }
    const env = { ...process.env, ...urls, PGAPPNAME: 'guide', INBOX_SECRET: 'a secret of the test, 32 bytes long' }
    return await promisify(execFile)(process.execPath, args, { env })
  }

  it('shows tables that are those of the engine, for a user that may not create any', async () => {
    await pool.query(block('sql', 'Migrations'))
    const shown = await pool.query(SCHEMA)
    await pool.query('CREATE USER app; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO app')
    const app = new pg.Pool({ connectionString: postgres.url.replace('postgres@', 'app@') })
    const engine = createPostgresEngine(app)
    const inbox = createInbox({ engine, secret: 'a secret of the test, 32 bytes long', name: 'app' })
    await inbox.expect('job-1')
    expect(await engine.count('app:results')).toMatchObject({ waiting: 1 })
    await inbox.drain()
    await engine.close()
    await app.end()

    await pool.query('DROP TABLE modelrun_tasks, modelrun_queues, modelrun_counts, modelrun_tallies')
    await createPostgresEngine(pool).setup()
    expect(shown.rows.length).toBeGreaterThan(20)
    expect(shown.rows).toEqual((await pool.query(SCHEMA)).rows)
  })

  it('shows a handler on Postgres whose effect counts once', async () => {
    const { stdout, stderr } = await run(`${block('js', 'Postgres')}${DELIVER}
      await pool.end()`)
    expect([stdout, stderr]).toEqual(['responses 202,202,202,202\n', ''])
    expect((await pool.query('SELECT job_id, output FROM results')).rows).toEqual([
      { job_id: 'job-1', output: { type: 'image', items: [] } },
    ])
    expect((await pool.query('SELECT id FROM modelrun_marks')).rows).toEqual([{ id: 'job-1' }])
  })

  it('shows a pool that outlives a restart of the database', async () => {
    const { stdout, stderr } = await run(`${block('js', 'Postgres')}
      const [taken, idle] = [await pool.connect(), await pool.connect()]
      idle.release()
      const broken = Promise.all([taken, idle].map((client) => new Promise((resolve) => client.once('end', resolve))))
      const other = new pg.Client({ connectionString: process.env.DATABASE_URL, application_name: 'other' })
      await other.connect()
      await other.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'guide'")
      await Promise.all([other.end(), broken])
      taken.release()
      ${DELIVER}
      await pool.end()`)
    expect([stdout, stderr]).toEqual(['responses 202,202,202,202\n', expect.stringContaining('terminating connection')])
  })

  it('shows results that are handed over to pg-boss once each', async () => {
    const handler = block('js', 'Postgres')
      .replace("query('COMMIT')", "query(attempt > 1 ? 'COMMIT' : 'NONSENSE')")
      .replace('idempotencyKey }', 'idempotencyKey, attempt }')
      .replace(/connection\.query\('INSERT INTO results.*\)/, 'handOver(event, connection)')
    expect(handler).toContain('await handOver(event, connection)')
    // The inbox of the tests before knows its job.
    const { stdout, stderr } = await run(`${block('js', 'pg-boss')}${handler}
      ${DELIVER.replaceAll('job-1', 'job-boss')}
      const jobs = async () =>
        (await pool.query("SELECT data->>'job_id' AS id, state FROM pgboss.job WHERE name = 'results'")).rows
      while ((await jobs()).some(({ state }) => state !== 'completed')) await new Promise((resolve) => setTimeout(resolve, 50))
      console.log('jobs', JSON.stringify(await jobs()))
      await boss.stop()
      await pool.end()`)
    expect(stderr).toContain('NONSENSE')
    expect(stdout.split('\n').toSorted()).toEqual([
      '',
      'job-boss 0',
      'jobs [{"id":"job-boss","state":"completed"}]',
      'responses 202,202,202,202',
    ])
  })

  it('shows an inbox on Redis', async () => {
    const { stdout, stderr } = await run(`${block('js', 'Redis')}${DELIVER}`)
    expect([stdout, stderr]).toEqual(['job-1 0\nresponses 202,202,202,202\n', ''])
  })
})
