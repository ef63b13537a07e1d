import type { InboxEngine, Json, WorkOptions } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { settle } from '../../../test/manual-clock.ts'
import { storedDelivery } from '../../../test/test-core.ts'
import { openEngine, openInbox, SUCCEEDED } from '../../../test/test-inbox.ts'

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
    const { notices, count, reports } = await reportOf(storedDelivery())
    expect(reports).toHaveLength(1)
    const error = expect.objectContaining({ code: 'process_died', message: expect.stringContaining(job_id) })
    expect(notices.onDead).toEqual([{ jobId: job_id, event: SUCCEEDED, attempt: 4, error, context: 'mine' }])
    expect(count('dead')).toBe(1)
  })

  test.each(['unverified', 'expected', 'overdue'])('is still polled: its task of %s runs again', async (name) => {
    const { engine, clock } = openEngine()
    let report: WorkOptions['onProcessDied']
    const work: InboxEngine['work'] = (queue, handler, options) => {
      if (queue.endsWith(name)) report = options?.onProcessDied
      return engine.work(queue, handler, options)
    }
    const replayed: string[] = []
    const replay: InboxEngine['replay'] = async (queue, id) => replayed.push(`${queue} ${id}`) > 0
    const { inbox } = openInbox({ engine: { ...engine, work, replay }, clock })
    inbox.start()
    await settle()
    report?.({ id: job_id, data: {}, runs: 4 })
    await inbox.drain()
    expect(replayed).toEqual([expect.stringMatching(`${name} ${job_id}$`)])
  })

  test('and whose delivery cannot be read is not reported', async () => {
    const { notices, count } = await reportOf({ old: true })
    expect([notices.onDead, count('dead')]).toEqual([[], 0])
  })
})
