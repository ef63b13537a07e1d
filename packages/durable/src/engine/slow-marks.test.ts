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

it('an end is reported although the response to it is lost', async () => {
  const table = createSqliteTable(openDatabase(':memory:', 0))
  let isLost = false
  const end: typeof table.end = async (...given) => {
    const isEnded = await table.end(...given)
    if (isLost) return isEnded
    isLost = true
    throw new Error('The response was lost.')
  }
  const engine = createTableEngine({ ...table, end }, { onError: () => {} })
  await settled(engine.setup())
  await settled(engine.add('tasks', 'a', { data: null }))
  const reported: string[] = []
  engine.work('tasks', async ({ id, afterEnd }) => {
    afterEnd(() => reported.push(id))
    return undefined
  })
  await pass(5_000)
  expect([isLost, reported]).toEqual([true, ['a']])
  await settled(engine.close())
})
