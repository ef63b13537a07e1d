import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { POSTGRES_PROGRAMS, type PostgresService, startPostgres } from '../services/postgres.ts'
import { needs } from '../services/programs.ts'
import { openInboxHarness, post } from './inbox-harness.ts'

const { isMissing, note } = needs(...POSTGRES_PROGRAMS)
const WAIT = { interval: 20 }

describe.skipIf(isMissing)(`inboxes on a Postgres that others use${note}`, () => {
  let service: PostgresService
  let pool: pg.Pool

  beforeAll(async () => {
    service = await startPostgres()
    pool = new pg.Pool({ connectionString: service.url })
    pool.on('error', () => {}) // the server ends before its connections
    await pool.query('CREATE TABLE orders (id text)')
  })
  afterAll(() => service?.stop())

  it('a transaction of a handler that stays open, and one that holds its task, stop no other job', async () => {
    const harness = await openInboxHarness({ kind: 'postgres', at: service.url, connections: 3 }, 'open')
    const lockMs = 600
    const handled: string[] = []
    const open: pg.PoolClient[] = []
    const stuck = await harness.open({
      lockMs,
      onSucceeded: async ({ job_id }) => {
        const client = await pool.connect()
        open.push(client)
        await client.query('BEGIN')
        await client.query('INSERT INTO orders VALUES ($1)', [job_id])
        await new Promise(() => {})
      },
    })
    await post(stuck.inbox, await stuck.inbox.callbackUrl(), harness.service.finish('stuck'))
    await expect.poll(() => open, WAIT).toHaveLength(1)
    const foreign = await pool.connect()
    await foreign.query('BEGIN')
    await foreign.query(`SELECT 1 FROM modelrun_tasks WHERE id = 'stuck' FOR UPDATE`)
    // The handler is given up, and its end cannot be noted either.
    await stuck.inbox.drain({ timeoutMs: 1 })

    const longer = lockMs * 2
    const { inbox } = await harness.open({
      lockMs,
      onSucceeded: async ({ job_id }, { signal }) => {
        await sleep(longer, undefined, { signal })
        handled.push(job_id)
      },
    })
    inbox.start()
    const innocent = Array.from({ length: 10 }, (_, index) => `job_${index}`)
    const responses = innocent.map(async (job) => post(inbox, await inbox.callbackUrl(), harness.service.finish(job)))
    expect(new Set(await Promise.all(responses))).toEqual(new Set([202]))
    await expect.poll(() => handled.toSorted(), WAIT).toEqual(innocent)
    await foreign.query('ROLLBACK')
    for (const client of [foreign, ...open]) client.release(true)
    await expect.poll(() => handled, WAIT).toHaveLength(11)
    expect(handled.at(-1)).toBe('stuck')
    await harness.close()
  })

  it('a task that another transaction has locked while it runs costs no other task its lock', async () => {
    const harness = await openInboxHarness({ kind: 'postgres', at: service.url, connections: 3 }, 'held')
    const attempts: string[] = []
    const lockMs = 900
    const { inbox } = await harness.open({
      lockMs,
      onSucceeded: async ({ job_id }, { attempt, signal }) => {
        attempts.push(`${job_id} ${attempt}`)
        await sleep(lockMs * 3, undefined, { signal })
      },
    })
    const jobs = ['held', 'other_1', 'other_2']
    for (const job of jobs) await post(inbox, await inbox.callbackUrl(), harness.service.finish(job))
    await expect.poll(() => attempts, WAIT).toHaveLength(3)
    const foreign = await pool.connect()
    await foreign.query('BEGIN')
    await foreign.query(`SELECT 1 FROM modelrun_tasks WHERE id = 'held' FOR UPDATE`)
    await Promise.all([inbox.waitFor('other_1'), inbox.waitFor('other_2')])
    expect(attempts.toSorted()).toEqual(['held 1', 'other_1 1', 'other_2 1'])
    await foreign.query('ROLLBACK')
    foreign.release()
    await inbox.waitFor('held')
    await harness.close()
  })
})
