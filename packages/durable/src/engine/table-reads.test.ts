import { expect, it } from 'vitest'
import { openDatabase } from '../sqlite/sqlite-database.ts'
import { createSqliteTable } from '../sqlite/sqlite-table.ts'
import { createTableEngine } from './table-engine.ts'

/** An engine that never polls, and the queues for which its workers asked the store, in order. */
async function openEngine() {
  const asked: string[] = []
  const table = createSqliteTable(openDatabase(':memory:', 0))
  const lock: typeof table.lock = (request) => {
    asked.push(request.queue)
    return table.lock(request)
  }
  const engine = createTableEngine({ ...table, lock }, { pollMs: 600_000 })
  await engine.setup()
  const settled = async (ended: number) => {
    await expect.poll(() => engine.count('busy')).toEqual({ waiting: 0, running: 0, done: ended, dead: 0 })
    return asked.splice(0)
  }
  return { engine, settled }
}

it('a task that was added is one read of the store, and none for the other queues', async () => {
  const { engine, settled } = await openEngine()
  engine.work('idle', async () => undefined)
  engine.work('busy', async () => undefined)
  expect((await settled(0)).toSorted()).toEqual(['busy', 'idle'])
  for (const id of ['a', 'b', 'c']) {
    await engine.add('busy', id, { data: null })
    await expect.poll(() => engine.get('busy', id)).toMatchObject({ state: 'done' })
  }
  expect(await settled(3)).toEqual(['busy', 'busy', 'busy'])
  await engine.close()
})

it('tasks that were more than a worker takes at once are all run', async () => {
  const { engine, settled } = await openEngine()
  for (let index = 0; index < 10; index += 1) await engine.add('busy', `${index}`, { data: null })
  engine.work('busy', async () => undefined, { concurrency: 3 })
  expect((await settled(10)).length).toBeLessThan(12)
  await engine.close()
})
