import type { InboxEngine, Json, WorkOptions } from '@modelrun/kit'
import { expect, test } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { storedJob } from '../../test/test-core.ts'
import { openEngine, openInbox, SUCCEEDED } from '../../test/test-inbox.ts'

const { job_id } = SUCCEEDED

test('a job whose processes died is a dead letter, which `onDead` gets once; only runs of the handler are marked', async () => {
  const { engine, clock } = openEngine()
  const workers: WorkOptions[] = []
  const work: InboxEngine['work'] = (queue, handler, options) => {
    if (options !== undefined && queue.endsWith('results')) workers.push(options)
    return engine.work(queue, handler, options)
  }
  const { inbox, notices } = openInbox({ engine: { ...engine, work }, clock })
  await inbox.expect(job_id, { context: 'mine' })
  inbox.start()
  await settle()
  const data = storedJob({ isExpected: true, context: 'mine' }) as unknown as Json
  for (const { onProcessDied } of workers) onProcessDied?.({ id: job_id, data, runs: 4 })
  await inbox.drain()
  const error = expect.objectContaining({ code: 'process_died', message: expect.stringContaining(job_id) })
  expect(notices.onDead).toEqual([{ jobId: job_id, event: SUCCEEDED, attempt: 4, error, context: 'mine' }])
  expect(workers).toMatchObject([{ startMark: 'handler' }])
})
