import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../services/service-process.ts'
import { type Connection, MARK_DATABASES, type MarkDatabase } from './mark-databases.ts'

// MariaDB responds from a cache, which it renews only after 100 ms without a query.
const WHILE_WAITING = { interval: 250 }

describe.each(MARK_DATABASES)('$title', ({ isMissing, start, open }) => {
  let service: Service & { url: string }
  let database: MarkDatabase

  beforeAll(async () => {
    if (isMissing) return
    service = await start()
    database = open(service.url)
    await database.setup()
  })
  afterAll(async () => {
    await database?.close()
    await service?.stop()
  })

  /** Runs a transaction to its end. */
  async function inTransaction<Result>(
    work: (connection: Connection) => Promise<Result>,
    ending = 'COMMIT',
  ): Promise<Result> {
    const connection = await database.connect()
    try {
      await connection.run('BEGIN')
      const result = await work(connection)
      await connection.run(ending)
      return result
    } catch (error) {
      await connection.run('ROLLBACK')
      throw error
    } finally {
      connection.release()
    }
  }

  const mark = (key: string, ending?: string) => inTransaction((connection) => connection.mark(key), ending)

  it.skipIf(isMissing)('is true once for a key', async () => {
    expect([await mark('job_1'), await mark('job_1'), await mark('job_2')]).toEqual([true, false, true])
    expect(await inTransaction(async ({ mark }) => [await mark('job_3'), await mark('job_3')])).toEqual([true, false])
  })

  it.skipIf(isMissing)('forgets a mark whose transaction is rolled back', async () => {
    expect([await mark('rolled-back', 'ROLLBACK'), await mark('rolled-back'), await mark('rolled-back')]).toEqual([
      true,
      true,
      false,
    ])
  })

  it.skipIf(isMissing)('keeps the connection of the transaction usable when the mark is there', async () => {
    await mark('usable')
    await inTransaction(async (connection) => {
      expect(await connection.mark('usable')).toBe(false)
      await expect(connection.run('SELECT 1')).resolves.toBeDefined()
    })
  })

  it.skipIf(isMissing).each([
    ['COMMIT', false],
    ['ROLLBACK', true],
  ])('waits for a transaction that has marked the key, and after its %s is %s', async (ending, expected) => {
    const [first, second] = [await database.connect(), await database.connect()]
    const key = `waits-${ending}`
    await first.run('BEGIN')
    expect(await first.mark(key)).toBe(true)
    await second.run('BEGIN')
    const marked = second.mark(key)
    await expect.poll(() => database.countWaiting(), WHILE_WAITING).toBe(1)
    await first.run(ending)
    expect(await marked).toBe(expected)
    await second.run('COMMIT')
    for (const connection of [first, second]) connection.release()
  })

  it.skipIf(isMissing)('lets no open transaction stop those of other keys', async () => {
    await inTransaction(async (open) => {
      await open.mark('open')
      expect(await mark('beside')).toBe(true)
    })
  })

  it.skipIf(isMissing)('distinguishes keys byte by byte, up to 2,048 of them', async () => {
    const long = 'x'.repeat(2_047)
    const keys = ['a', 'A', 'a ', ' a', 'ä', 'a\u0308', 'ss', 'ß', '🦊', '日本', '?', "'", '\\', '%', long, `${long}x`]
    for (const key of keys) expect([key, await mark(key), await mark(key)]).toEqual([key, true, false])
  })

  it.skipIf(isMissing).each([
    ['is empty', ''],
    ['has 2,049 bytes', 'x'.repeat(2_049)],
    ['has 2,050 bytes in 1,025 characters', 'é'.repeat(1_025)],
    ['has a NUL', 'a\0b'],
    ['has half a character', '\ud800'],
    ['is undefined', undefined as unknown as string],
    ['is a number', 7 as unknown as string],
  ])('rejects a key that %s', async (_, key) => {
    await expect(mark(key)).rejects.toThrow(/`key` of `marks.mark` must be a text of 1 to 2048 bytes/)
  })

  it.skipIf(isMissing)('says that its table is missing', async () => {
    const other = open(service.url, { table: 'not_there' })
    const connection = await other.connect()
    await connection.run('BEGIN')
    await expect(connection.mark('a')).rejects.toThrow(/not_there.*does not exist.*`setup`/)
    await connection.run('ROLLBACK')
    connection.release()
    await other.close()
  })

  it.skipIf(isMissing)('is set up by several at once, and again, in a table of any name', async () => {
    const other = open(service.url, { table: 'Order_Marks' })
    await Promise.all([other, other, other, other].map((each) => each.setup()))
    await mark('shared')
    const connection = await other.connect()
    await connection.run('BEGIN')
    expect(await connection.mark('shared')).toBe(true)
    await connection.run('COMMIT')
    await other.setup()
    await connection.run('BEGIN')
    expect(await connection.mark('shared')).toBe(false)
    await connection.run('COMMIT')
    connection.release()
    await other.close()
  })

  it.skipIf(isMissing)('removes the marks that are older, and no others', async () => {
    await mark('old')
    await database.clean(60_000)
    expect(await mark('old')).toBe(false)
    await expect.poll(() => database.clean(1).then(() => mark('old', 'ROLLBACK'))).toBe(true)
    await expect(database.clean(0)).rejects.toThrow(/`olderThanMs` of `marks.clean` must be milliseconds above 0/)
    await expect(database.clean(Number.NaN)).rejects.toThrow(/olderThanMs/)
  })
})
