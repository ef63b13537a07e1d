import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { folderForTest } from '../../../kit/test/temp-folder.ts'
import { createMarks } from './marks.ts'

const marks = createMarks('sqlite')
let folder: string
let database: DatabaseSync

function open(): DatabaseSync {
  return new DatabaseSync(join(folder, 'app.db'), { timeout: 0 })
}

beforeEach(() => {
  folder = folderForTest()
  database = open()
  marks.setup(database)
})

afterEach(() => database.close())

function mark(key: string, ending = 'COMMIT'): boolean {
  database.exec('BEGIN IMMEDIATE')
  const isFirst = marks.mark(database, key)
  database.exec(ending)
  return isFirst
}

it('is true once for a key, for each connection to the file', () => {
  expect([mark('a'), mark('a'), mark('A'), mark('a ')]).toEqual([true, false, true, true])
  const other = open()
  other.exec('BEGIN')
  expect([marks.mark(other, 'a'), marks.mark(other, 'b'), marks.mark(other, 'b')]).toEqual([false, true, false])
  other.close()
})

it('forgets a mark whose transaction is rolled back, or whose process ends', () => {
  expect(mark('a', 'ROLLBACK')).toBe(true)
  const other = open()
  other.exec('BEGIN')
  expect(marks.mark(other, 'a')).toBe(true)
  other.close()
  expect(mark('a')).toBe(true)
})

it('keeps other transactions out until its own ends', () => {
  const other = open()
  database.exec('BEGIN')
  marks.mark(database, 'a')
  expect(() => other.exec('BEGIN IMMEDIATE')).toThrow(/locked/)
  database.exec('COMMIT')
  other.exec('BEGIN IMMEDIATE')
  expect(marks.mark(other, 'a')).toBe(false)
  other.close()
})

it('rejects a database without a transaction, and leaves no mark', () => {
  expect(() => marks.mark(database, 'a')).toThrow(/needs the client of an open transaction/)
  const { prepare } = database
  const likeBetterSqlite = { inTransaction: false, prepare: prepare.bind(database) }
  expect(() => marks.mark(likeBetterSqlite, 'a')).toThrow(/needs the client of an open transaction/)
  expect(mark('a')).toBe(true)
})

it('says that its table is missing', () => {
  database.exec('BEGIN')
  const other = createMarks('sqlite', { table: 'main.other' })
  expect(() => other.mark(database, 'a')).toThrow(/"main"\."other".*does not exist.*`setup`/)
})

it('removes the marks that are older, and no others', () => {
  mark('old')
  database.exec('UPDATE modelrun_marks SET marked_at = marked_at - 120000')
  mark('new')
  marks.clean(database, 60_000)
  expect([mark('old'), mark('new')]).toEqual([true, false])
  for (const age of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => marks.clean(database, age)).toThrow(/olderThanMs/)
  }
})

it('keeps the time in milliseconds since 1970', () => {
  const before = Date.now()
  mark('a')
  const { marked_at: markedAt } = database.prepare('SELECT marked_at FROM modelrun_marks').get() ?? {}
  expect(Number(markedAt)).toBeGreaterThanOrEqual(before - 1)
  expect(Number(markedAt)).toBeLessThanOrEqual(Date.now() + 1)
})
