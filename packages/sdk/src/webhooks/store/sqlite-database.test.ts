import { expect, test } from 'vitest'
import { openSqlite } from './sqlite-database.ts'

test('changes are written through to the disk, or only when that is next done', () => {
  const database = openSqlite(':memory:', 100)
  const mode = () => database.prepare('PRAGMA synchronous').all()[0]?.synchronous
  const modes = [mode()]
  for (const isOn of [false, true]) {
    database.syncEachChange(isOn)
    modes.push(mode())
  }
  database.close()
  const [NORMAL, FULL] = [1, 2]
  expect(modes).toEqual([FULL, NORMAL, FULL])
})
