import { expect, it } from 'vitest'
import { pass, settled, useVirtualTime } from '../../test/batch.ts'
import { openDatabase } from '../sqlite/sqlite-database.ts'
import { createSqliteTable } from '../sqlite/sqlite-table.ts'
import { createTableEngine } from './table-engine.ts'

useVirtualTime()

it('a run keeps its lock although a mark of it is being stored whenever locks are renewed', async () => {
  const table = createSqliteTable(openDatabase(':memory:', 0))
  const markStarted: typeof table.markStarted = async (queue, fences) => {
    await new Promise((resolve) => setTimeout(resolve, 150))
    return await table.markStarted(queue, fences)
  }
  const engine = createTableEngine({ ...table, markStarted })
  await settled(engine.setup())
  await settled(engine.add('tasks', 'a', { data: null }))
  const marks: boolean[] = []
  engine.work(
    'tasks',
    async ({ markStarted }) => {
      while (marks.length < 14) marks.push(await markStarted())
      return undefined
    },
    { lockMs: 1_000, startMark: 'handler', attempts: 1 },
  )
  await pass(5_000)
  expect(await engine.get('tasks', 'a')).toMatchObject({ state: 'done' })
  expect(marks).not.toContain(false)
  await settled(engine.close())
})
