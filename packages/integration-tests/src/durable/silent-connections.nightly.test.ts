import type { Engine } from '@modelrun/durable'
import { createPostgresEngine } from '@modelrun/durable/postgres'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { type SlowLink, startSlowLink } from '../services/slow-link.ts'
import { describeWithPostgres } from '../services/with-postgres.ts'

describeWithPostgres('Postgres connections that fall silent', (database) => {
  /** An engine on a relay in front of Postgres, with the errors that it has reported. */
  async function open(isOwnPool: boolean): Promise<{ link: SlowLink; engine: Engine; errors: unknown[] }> {
    const link = await startSlowLink(database.service.port)
    const url = database.service.url.replace(`:${database.service.port}`, `:${link.port}`)
    const errors: unknown[] = []
    const options = { pollMs: 50, onError: (error: unknown) => errors.push(error) }
    // As in the guide, without time limits.
    const pool = new pg.Pool({ connectionString: url })
    pool.on('error', () => {})
    pool.on('connect', (connection) => connection.on('error', () => {}))
    const engine = isOwnPool ? createPostgresEngine(url, options) : createPostgresEngine(pool, options)
    onTestFinished(async () => {
      await engine.close()
      await link.close()
      await pool.end()
    })
    await engine.setup()
    return { link, engine, errors }
  }

  it.each([
    ['a pool of the caller', false],
    ['a connection string', true],
  ])('a process continues when all of them do: %s', async (_, isOwnPool) => {
    const { link, engine, errors } = await open(isOwnPool)
    const queue = `all ${isOwnPool}`
    const seen: string[] = []
    engine.work(queue, async ({ id }) => void seen.push(id))
    // Opens every connection of the pool.
    await Promise.all(Array.from({ length: 30 }, (_value, index) => engine.add(queue, `t${index}`, { data: null })))
    await expect.poll(() => seen.length).toBe(30)
    link.silence()
    // Where the pool had room for one more connection, that one is not silent.
    const error = await engine.add(queue, 'first', { data: null }).catch((reason: unknown) => reason)
    if (error !== undefined) expect(error).toBeInstanceOf(Error)
    await expect.poll(() => engine.add(queue, 'last', { data: null }).then(() => 'added')).toBe('added')
    await expect.poll(() => seen).toContain('last')
    await expect.poll(() => errors.length).toBeGreaterThan(0)
  })

  it('a worker continues when the one of its lock does', async () => {
    const { link, engine } = await open(false)
    const seen: string[] = []
    link.silenceAt("SET state = 'running'")
    engine.work('locks', async ({ id }) => void seen.push(id))
    await engine.add('locks', 'a', { data: null })
    await expect.poll(() => seen).toEqual(['a'])
  })

  it('a pool has all its connections while none of them can listen', async () => {
    const pool = new pg.Pool({ connectionString: database.service.url, max: 4 })
    let attempts = 0
    // As on a standby, or behind a proxy.
    pool.on('connect', (connection) => {
      const query = connection.query.bind(connection)
      const isListen = (given: unknown) => JSON.stringify(given ?? '').includes('LISTEN')
      connection.query = (...given: unknown[]) => {
        if (!isListen(given[0])) return Reflect.apply(query, connection, given)
        attempts += 1
        return Promise.reject(new Error('cannot execute LISTEN'))
      }
    })
    const engine = createPostgresEngine(pool, { pollMs: 5, onError: () => {} })
    await engine.setup()
    engine.work('deaf', async () => undefined)
    await expect.poll(() => attempts).toBeGreaterThan(4)
    await engine.add('deaf', 'a', { data: null })
    await engine.close()
    await pool.end()
  })

  it('a function that never responds holds no call', async () => {
    const engine = createPostgresEngine(() => new Promise(() => {}))
    await expect(engine.add('none', 'a', { data: null })).rejects.toThrow(/did not respond within 5000 ms/)
  })
})
