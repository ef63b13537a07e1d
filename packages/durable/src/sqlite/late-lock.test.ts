import { expect, test } from 'vitest'
import { SqliteTable } from './sqlite-table.ts'

const REQUEST = { queue: 'tasks', limit: 1, alone: false, lockMs: 1, spacing: undefined }
const tick = () => new Promise((resolve) => setTimeout(resolve, 5))

test('a task that was locked and not run does not count as lost, although another worker has taken it over', async () => {
  const table = new SqliteTable(':memory:', 0)
  await table.setup()
  await table.add('tasks', 'a', { data: 'null', delayMs: 0 })
  const [first] = (await table.lock(REQUEST)).tasks
  await tick()
  const [second] = (await table.lock(REQUEST)).tasks
  expect([first?.lost, second?.lost]).toEqual([0, 1])
  await table.giveBack('tasks', { id: 'a', fence: first?.fence ?? 0 })
  await tick()
  const [third] = (await table.lock(REQUEST)).tasks
  expect(third?.lost).toBe(1) // that of the second lock, which is over
  await table.close()
})

test('a task that is given back in time is free at once', async () => {
  const table = new SqliteTable(':memory:', 0)
  await table.setup()
  await table.add('tasks', 'a', { data: 'null', delayMs: 0 })
  const [first] = (await table.lock({ ...REQUEST, lockMs: 60_000 })).tasks
  await table.giveBack('tasks', { id: 'a', fence: first?.fence ?? 0 })
  const [second] = (await table.lock(REQUEST)).tasks
  expect([second?.id, second?.lost]).toEqual(['a', 0])
  await table.close()
})
