import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, describe, expect, it, test, vi } from 'vitest'
import { testInboxStore } from '../testing/inbox-store-suite.ts'
import { createSqliteStore } from './sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'modelrun-sqlite-'))
let files = 0

afterAll(() => rmSync(folder, { recursive: true }))

function freshPath(): string {
  files += 1
  return join(folder, `${files}.db`)
}

describe('the contract', () => {
  testInboxStore(() => createSqliteStore({ path: freshPath() }), { test })
})

describe('a SQLite store', () => {
  afterEach(() => vi.restoreAllMocks())

  it('has its records when the file is opened again', async () => {
    const path = freshPath()
    const first = createSqliteStore({ path })
    await first.migrate()
    await first.expect('job', { pollInMs: 0, context: 'mine' })
    first.close()
    await expect(first.get('job')).rejects.toThrow()
    using second = createSqliteStore({ path })
    expect(await second.get('job')).toMatchObject({ state: 'expected', context: 'mine' })
  })

  it('waits until each change is on the disk', () => {
    const path = freshPath()
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec')
    using _store = createSqliteStore({ path })
    expect(exec.mock.calls.flat().join()).toContain('synchronous = FULL')
    using database = new DatabaseSync(path)
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  })

  it.each(['other', '', "'; DROP TABLE modelrun_inbox; --", 'nul\0', '\ud800'])(
    'of the namespace %j does not see the records and references of others in the same file',
    async (namespace) => {
      const path = freshPath()
      using first = createSqliteStore({ path })
      using second = createSqliteStore({ path, namespace })
      await first.migrate()
      await first.expect('job', { pollInMs: 0 })
      await first.bind('ref', 'job', 60_000)
      expect(await second.get('job')).toBeUndefined()
      expect([...(await second.list('expected', { limit: 9 })), ...(await second.due(9, 'poll'))]).toEqual([])
      expect(await second.bind('ref', 'other', 60_000)).toBe('other')
      await second.expect('job', { pollInMs: 0 })
      await second.postpone('job', 0, { kind: 'forget' })
      expect(await first.get('job')).toMatchObject({ state: 'expected' })
    },
  )

  it('says so when it has no tables yet', async () => {
    using store = createSqliteStore({ path: freshPath() })
    await expect(store.get('job')).rejects.toThrow('Call `await store.migrate()` once first')
  })

  it('goes on after a change that failed', async () => {
    using store = createSqliteStore({ path: freshPath() })
    await expect(store.expect('job', { pollInMs: 0 })).rejects.toThrow('no tables')
    await store.migrate()
    await store.expect('job', { pollInMs: 0 })
    expect(await store.get('job')).toMatchObject({ state: 'expected' })
  })

  it('rejects when another process holds the file for longer than `busyTimeoutMs`', async () => {
    const path = freshPath()
    using store = createSqliteStore({ path, busyTimeoutMs: 20 })
    await store.migrate()
    using other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    await expect(store.expect('job', { pollInMs: 0 })).rejects.toThrow('database is locked')
    other.exec('ROLLBACK')
    await store.expect('job', { pollInMs: 0 })
  })

  it('says which file it cannot open', () => {
    const path = join(folder, 'missing', 'inbox.db')
    expect(() => createSqliteStore({ path })).toThrow(
      `cannot open ${JSON.stringify(path)}: unable to open database file`,
    )
  })

  it('says what to do on a runtime without node:sqlite', () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)
    expect(() => createSqliteStore({ path: freshPath() })).toThrow('Use Node 22.13 or newer')
  })

  it('in memory is neither durable nor shared', () => {
    using store = createSqliteStore({ path: ':memory:' })
    expect(store.guarantees).toEqual({ durable: false, shared: false, transactional: false })
  })
})
