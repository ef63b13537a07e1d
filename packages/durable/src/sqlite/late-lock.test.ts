import { expect, test } from 'vitest'
import { openDatabase } from './sqlite-database.ts'
import { SqliteTable } from './sqlite-table.ts'

const REQUEST = { queue: 'tasks', limit: 1, lockMs: 1, spacing: undefined }
const tick = () => new Promise((resolve) => setTimeout(resolve, 5))

async function openTable() {
  const table = new SqliteTable(openDatabase(':memory:', 0))
  await table.setup()
  await table.add('tasks', 'a', { data: 'null', delayMs: 0 })
  const lock = async (lockMs: number) => (await table.lock({ ...REQUEST, lockMs })).tasks[0]
  const mark = async (fence = 0) => (await table.markStarted('tasks', new Map([['a', fence]]))).has('a')
  return { table, lock, mark }
}

test('a lock that ended before its run was started does not count as lost, and cannot be started any more', async () => {
  const { table, lock, mark } = await openTable()
  const first = await lock(1)
  await tick()
  // By the clock of the store, and not only once another worker has the task.
  expect(await mark(first?.fence)).toBe(false)
  const second = await lock(60_000)
  expect([first?.lost, second?.lost]).toEqual([0, 0])
  expect([await mark(first?.fence), await mark(second?.fence), await mark(second?.fence)]).toEqual([false, true, true])
  await table.close()
})

test('each started run whose lock ended counts once', async () => {
  const { table, lock, mark } = await openTable()
  const losses: unknown[] = []
  for (const isStarted of [false, true, false, false]) {
    const locked = await lock(isStarted ? 100 : 1)
    losses.push(locked?.lost)
    if (isStarted) expect(await mark(locked?.fence)).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, isStarted ? 110 : 5))
  }
  expect(losses).toEqual([0, 0, 1, 1])
  await table.close()
})
