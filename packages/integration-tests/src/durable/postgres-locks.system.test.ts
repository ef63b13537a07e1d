import { createPostgresEngine } from '@modelrun/durable/postgres'
import type { Task } from '@modelrun/kit'
import { expect, it } from 'vitest'
import { describeWithPostgres } from '../services/with-postgres.ts'

describeWithPostgres('the locks of the Postgres engine', (database) => {
  const open = () => createPostgresEngine(database.pool, { pollMs: 50 })

  it('runs what it has locked although the next statement fails', async () => {
    let failure: 'none' | 'next' | 'past' = 'none'
    const query = async (text: string, values: unknown[]) => {
      if (failure === 'next') {
        failure = 'past'
        throw new Error('The connection is gone.')
      }
      const result = await database.pool.query(text, values)
      if (failure === 'none' && text.includes("SET state = 'running'") && result.rows.length > 0) failure = 'next'
      return result
    }
    const engine = createPostgresEngine(query, { pollMs: 50, onError: () => {} })
    await engine.setup()
    await engine.add('locked', 'a', { data: null })
    engine.work('locked', async ({ lost }) => lost)
    await expect.poll(() => engine.get('locked', 'a')).toMatchObject({ state: 'done', result: 0 })
    expect(failure).toBe('past')
    await engine.close()
  })

  it('counts no process as lost when a lock ends before its task starts', async () => {
    let isLate = false
    const isOver = async () => {
      const sql = `SELECT due_at < extract(epoch FROM clock_timestamp()) * 1000 AS over FROM modelrun_tasks WHERE queue = 'slow'`
      return (await database.pool.query<{ over: boolean }>(sql)).rows[0]?.over === true
    }
    const query = async (text: string, values: unknown[]) => {
      const result = await database.pool.query(text, values)
      if (isLate || !text.includes("SET state = 'running'") || result.rows.length === 0) return result
      isLate = true
      while (!(await isOver()));
      return result
    }
    const engine = createPostgresEngine(query, { pollMs: 50 })
    await engine.setup()
    await engine.add('slow', 'a', { data: null })
    engine.work('slow', async ({ lost, attempt }) => [lost, attempt], { lockMs: 1_500 })
    await expect.poll(() => engine.get('slow', 'a')).toMatchObject({ state: 'done', result: [0, 1] })
    expect(isLate).toBe(true)
    await engine.close()
  })

  it('is not stopped by open transactions of other clients', async () => {
    const engine = open()
    await engine.setup()
    const client = await database.pool.connect()
    await client.query('BEGIN')
    await client.query(`SELECT * FROM modelrun_tasks FOR UPDATE`)
    await engine.add('beside', 'locked', { data: null })
    await client.query(`SELECT * FROM modelrun_tasks WHERE queue = 'beside' FOR UPDATE`)
    for (const id of ['a', 'b']) await engine.add('beside', id, { data: null })
    const seen: string[] = []
    engine.work('beside', async ({ id }) => {
      seen.push(id)
      return undefined
    })
    await expect.poll(() => seen.toSorted()).toEqual(['a', 'b'])
    await client.query('COMMIT')
    client.release()
    await expect.poll(() => seen.toSorted()).toEqual(['a', 'b', 'locked'])
    await engine.close()
  })

  it('renews the locks of its tasks although another transaction has locked one of them', async () => {
    const engine = open()
    await engine.setup()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const runs: string[] = []
    for (const id of ['held', 'a', 'b']) await engine.add('renewed', id, { data: null })
    const work = async ({ id }: { id: string }) => {
      runs.push(id)
      await released
      return undefined
    }
    engine.work('renewed', work, { concurrency: 3, lockMs: 6_000 })
    await expect.poll(() => runs).toHaveLength(3)
    const client = await database.pool.connect()
    await client.query('BEGIN')
    await client.query("SELECT 1 FROM modelrun_tasks WHERE queue = 'renewed' AND id = 'held' FOR UPDATE")
    const endOfLocks = async () => {
      const sql = "SELECT min(due_at) AS at FROM modelrun_tasks WHERE queue = 'renewed' AND id <> 'held'"
      return Number((await database.pool.query(sql)).rows[0].at)
    }
    const before = await endOfLocks()
    await expect.poll(endOfLocks).toBeGreaterThan(before)
    release()
    await expect.poll(() => engine.count('renewed')).toMatchObject({ done: 2 })
    await client.query('ROLLBACK')
    client.release()
    await expect.poll(() => engine.count('renewed')).toMatchObject({ done: 3 })
    expect(runs.filter((id) => id !== 'held').toSorted()).toEqual(['a', 'b'])
    await engine.close()
  })

  it('takes neither the mark nor the end of a run whose lock is over by the clock of the database', async () => {
    const engine = open()
    await engine.setup()
    await engine.add('over', 'a', { data: null })
    const marks: boolean[] = []
    const work = async ({ fence, markStarted }: Task) => {
      if (fence > 1) return 'second'
      await database.pool.query("UPDATE modelrun_tasks SET due_at = 1 WHERE queue = 'over'")
      marks.push(await markStarted())
      // As another worker takes it, which dies then.
      await database.pool.query("UPDATE modelrun_tasks SET fence = 2 WHERE queue = 'over'")
      return 'first'
    }
    engine.work('over', work, { concurrency: 1, startMark: 'handler' })
    await expect.poll(() => engine.get('over', 'a')).toMatchObject({ state: 'done', result: 'second' })
    expect(marks).toEqual([false])
    await engine.close()
  })
})
