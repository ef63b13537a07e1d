import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { expect, it } from 'vitest'
import { folderForTest } from '../../../kit/test/temp-folder.ts'
import { finish, MODEL, setUpRuns } from './runs-harness.ts'
import { posts } from './sent-runs.ts'

it('ends a submit that was given up although its job became known', async () => {
  const folder = folderForTest()
  const path = join(folder, 'runs.db')
  const { server, runs } = await setUpRuns({ engine: createSqliteEngine({ path, pollMs: 20 }) })
  await runs.add('a', MODEL, { prompt: 'a' })
  await finish(runs)
  // As another process leaves it that parked the run, while the one that sent it was paused.
  const database = new DatabaseSync(path)
  database.exec("UPDATE modelrun_tasks SET state = 'dead', error = '{}' WHERE queue = 'runs:submit'")
  database.close()
  expect(await runs.resubmit('a')).toBe(false)
  expect(await runs.unknown()).toEqual([])
  expect(await finish(runs)).toMatchObject([{ key: 'a', state: 'succeeded' }])
  expect(await runs.progress()).toMatchObject({ total: 1, done: 1, unknown: 0 })
  expect(posts(server)).toEqual({ a: 1 })
})

it('lists a run that ended four processes while it was sent, and one that ended them while it was polled', async () => {
  const folder = folderForTest()
  const path = join(folder, 'runs.db')
  const { server, runs } = await setUpRuns({ engine: createSqliteEngine({ path, pollMs: 20 }) })
  for (const key of ['sent', 'polled']) await runs.add(key, MODEL, { prompt: key })
  await finish(runs)
  await runs.stop()
  // The two as the fourth process left them: locked, and the lock is over.
  const database = new DatabaseSync(path)
  const leave = "UPDATE modelrun_tasks SET state = 'running', lost = 3, due_at = 0, result = NULL"
  database.exec(`${leave} WHERE queue = 'runs:submit' AND id = 'sent' OR queue = 'runs:poll' AND id = 'polled'`)
  database.exec("DELETE FROM modelrun_tasks WHERE queue = 'runs:outcomes' OR queue = 'runs:poll' AND id = 'sent'")
  database.close()
  expect(await finish(runs)).toEqual([])
  expect(await runs.progress()).toMatchObject({ total: 2, unknown: 2 })
  const [sent, polled] = await runs.unknown()
  expect([sent, polled]).toMatchObject([
    { key: 'sent', state: 'unknown', error: { code: 'process_died' } },
    { key: 'polled', state: 'unknown', jobId: expect.any(String) },
  ])
  expect(await runs.unknown({ limit: 1 })).toEqual([sent])
  expect(await runs.unknown({ after: sent?.cursor })).toEqual([polled])
  const [entry] = server.journal.entries({ kind: 'job' })
  expect(await runs.resolve('sent', { jobId: String(entry?.kind === 'job' && entry.job_id) })).toBe(true)
  expect(await runs.resubmit('polled')).toBe(false)
  expect(await runs.resolve('polled', { jobId: String(polled?.jobId) })).toBe(true)
  expect(await finish(runs)).toMatchObject([{ state: 'succeeded' }, { state: 'succeeded' }])
  expect(await runs.progress()).toMatchObject({ total: 2, done: 2, unknown: 0 })
  expect(posts(server)).toEqual({ sent: 1, polled: 1 })
})

it('gives results that come after a place, for the next process', async () => {
  const { runs } = await setUpRuns()
  for (const key of ['a', 'b', 'c']) await runs.add(key, MODEL, { prompt: key })
  const [first, ...rest] = await finish(runs)
  const later: string[] = []
  for await (const run of runs.results({ after: first?.cursor })) later.push(run.key)
  expect(later).toEqual(rest.map(({ key }) => key))
})
