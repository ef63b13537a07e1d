import { beforeEach, expect, test, vi } from 'vitest'
import { openDatabase } from './sqlite-database.ts'
import { createSqliteTable } from './sqlite-table.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
const LOCK_MS = 1_000
const untilOver = () => vi.setSystemTime(Date.now() + LOCK_MS)

async function openTable() {
  const table = createSqliteTable(openDatabase(':memory:', 0))
  await table.setup()
  await table.add('tasks', 'a', { data: 'null', delayMs: 0 })
  const request = { queue: 'tasks', limit: 1, lockMs: LOCK_MS, spacing: undefined }
  const lock = async () => (await table.lock(request)).tasks[0]
  const mark = async (fence = 0) => (await table.markStarted('tasks', new Map([['a', fence]]))).has('a')
  return { table, lock, mark }
}

test('a lock that ended before its run was started does not count as lost, and cannot be started any more', async () => {
  const { table, lock, mark } = await openTable()
  const first = await lock()
  untilOver()
  // By the clock of the store, and not only once another worker has the task.
  expect(await mark(first?.fence)).toBe(false)
  const second = await lock()
  expect([first?.lost, second?.lost]).toEqual([0, 0])
  expect([await mark(first?.fence), await mark(second?.fence), await mark(second?.fence)]).toEqual([false, true, true])
  await table.close()
})

test('each started run whose lock ended counts once', async () => {
  const { table, lock, mark } = await openTable()
  const losses: unknown[] = []
  for (const isStarted of [false, true, false, false]) {
    const locked = await lock()
    losses.push(locked?.lost)
    if (isStarted) expect(await mark(locked?.fence)).toBe(true)
    untilOver()
  }
  expect(losses).toEqual([0, 0, 1, 1])
  await table.close()
})
