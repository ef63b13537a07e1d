import type { InboxEngine, Json, WorkOptions } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { storedJob } from '../../test/test-core.ts'
import { openEngine, openInbox, SUCCEEDED } from '../../test/test-inbox.ts'

const { job_id } = SUCCEEDED

describe('a job whose processes died', () => {
  const reportOf = async (data: object) => {
    const { engine, clock } = openEngine()
    const reports: NonNullable<WorkOptions['onProcessDied']>[] = []
    const work: InboxEngine['work'] = (queue, handler, options) => {
      if (options?.onProcessDied !== undefined && queue.endsWith('results')) reports.push(options.onProcessDied)
      return engine.work(queue, handler, options)
    }
    const harness = openInbox({ engine: { ...engine, work }, clock })
    await harness.inbox.expect(job_id, { context: 'mine' })
    harness.inbox.start()
    await settle()
    for (const report of reports) report({ id: job_id, data: data as Json, runs: 4 })
    await harness.inbox.drain()
    return { ...harness, reports }
  }

  test('is a dead letter, which `onDead` gets once, with the context of the job', async () => {
    const { notices, count, reports } = await reportOf(storedJob({ isExpected: true, context: 'mine' }))
    expect(reports).toHaveLength(1)
    const error = expect.objectContaining({ code: 'process_died', message: expect.stringContaining(job_id) })
    expect(notices.onDead).toEqual([{ jobId: job_id, event: SUCCEEDED, attempt: 4, error, context: 'mine' }])
    expect(count('dead')).toBe(1)
  })

  test('while it was polled is polled again: only runs of the handler are marked', async () => {
    const { engine, clock } = openEngine()
    const marks: WorkOptions['startMark'][] = []
    const work: InboxEngine['work'] = (queue, handler, options) => {
      if (queue.endsWith('results')) marks.push(options?.startMark)
      return engine.work(queue, handler, options)
    }
    const { inbox } = openInbox({ engine: { ...engine, work }, clock })
    inbox.start()
    await settle()
    await inbox.drain()
    expect(marks).toEqual(['handler'])
  })
})
