import { describe, expect, test } from 'vitest'
import { crashSetupOf, type OnSucceeded, sendMail } from '../../../testing/crash-setup-of.ts'
import { PermanentError } from '../../inbox-errors.ts'
import type { DeliveryContext } from '../../inbox-options.ts'
import type { ProcessTools } from './crash-setup.ts'
import { type CrashReport, simulateCrashes } from './simulate-crashes.ts'

const unsafeNames = ({ scenarios }: CrashReport) => scenarios.filter(({ isSafe }) => !isSafe).map(({ name }) => name)
const named = ({ scenarios }: CrashReport, part: string) => scenarios.find(({ name }) => name.includes(part))

describe('a handler that may not be run again', () => {
  test('is found wherever it sends a mail twice, with the counts', async () => {
    const report = await simulateCrashes(sendMail)
    expect(report).toMatchObject({ isSafe: false, wanted: ['mail'] })
    expect(unsafeNames(report)).toEqual([
      'the process dies after "send"',
      'the process stalls before "send", and another one takes over',
      'the process stalls after "send", and another one takes over',
      '"send" happens, and its response is lost',
      'the process dies before the job is noted as done',
    ])
    expect(named(report, 'dies after "send"')).toEqual({
      name: 'the process dies after "send"',
      isSafe: false,
      end: 'done',
      effects: ['mail', 'mail'],
      steps: { send: 2 },
    })
    expect(report.summary).toMatch(/^5 of 8 scenarios do not leave \["mail"\], as an undisturbed run does:\n/)
    expect(report.summary).toContain('\n- the process dies after "send": ["mail","mail"] (send ×2)\n')
  })

  test('is found when it remembers in its own memory what it did', async () => {
    const report = await simulateCrashes(
      crashSetupOf(({ step }, mails) => {
        const sent = new Set<string>()
        return async ({ job_id }) => {
          if (sent.has(job_id)) return
          await step('send', () => mails.push('mail'))
          sent.add(job_id)
        }
      }),
    )
    expect(unsafeNames(report)).toContain('the process dies after "send"')
  })

  test('is found when it notes elsewhere what it did, because it can die in between', async () => {
    const report = await simulateCrashes(() => {
      const [mails, sent]: [string[], Set<string>] = [[], new Set()]
      const onSucceeded = async ({ step }: ProcessTools, { job_id }: { job_id: string }) => {
        if (await step('look', () => sent.has(job_id))) return
        await step('send', () => mails.push('mail'))
        await step('note', () => sent.add(job_id))
      }
      return { handlers: (tools) => ({ onSucceeded: (event) => onSucceeded(tools, event) }), effects: () => mails }
    })
    expect(unsafeNames(report)).toContain('the process dies before "note"')
    expect(unsafeNames(report)).not.toContain('the process dies after "note"')
  })

  test('is found when it fails on what it did before: the handler is given up after 8 failures', async () => {
    let runs = 0
    const report = await simulateCrashes(() => {
      const rows: string[] = []
      runs = 0
      const insert = (id: string) => {
        runs++
        if (rows.includes(id)) throw new Error('the row is there')
        rows.push(id)
      }
      const handlers = ({ step }: ProcessTools) => ({
        onSucceeded: ({ job_id }: { job_id: string }) => step('insert', () => insert(job_id)),
      })
      return { handlers, effects: () => rows }
    })
    // The last scenario: a run whose process died, then 8 that failed.
    expect(runs).toBe(9)
    expect(named(report, 'dies after "insert"')).toMatchObject({
      isSafe: false,
      end: 'dead',
      effects: report.wanted,
      steps: { insert: 1 },
    })
    expect(report.summary).toContain('(insert ×1; the handler was given up: Error: the row is there)')
  })

  test('is found when only its second step of a name repeats itself', async () => {
    const report = await simulateCrashes(() => {
      const rows = new Set<string>()
      const counts = { total: 0 }
      const onSucceeded = async ({ step }: ProcessTools) => {
        await step('write', () => rows.add('row'))
        await step('write', () => counts.total++)
      }
      return { handlers: (tools) => ({ onSucceeded: () => onSucceeded(tools) }), effects: () => ({ rows, counts }) }
    })
    expect(unsafeNames(report)).toContain('the process dies after "write" (2)')
    expect(unsafeNames(report)).not.toContain('the process dies after "write"')
  })
})

describe('a handler that may be run again', () => {
  test('writes what it has by its key', async () => {
    const report = await simulateCrashes(() => {
      const rows = new Map<string, unknown>()
      const onSucceeded: (tools: ProcessTools) => OnSucceeded =
        ({ step }) =>
        (event, { idempotencyKey }) =>
          step('upsert', () => rows.set(idempotencyKey, event.output))
      return { handlers: (tools) => ({ onSucceeded: onSucceeded(tools) }), effects: () => rows }
    })
    expect(report.summary).toMatch(/^The effects are the same in each of 8 scenarios: \[\["job_.*\]\.$/)
    expect(report.isSafe).toBe(true)
  })

  test('commits its effects with a mark', async () => {
    const withMark = (isMarked: boolean) =>
      crashSetupOf(({ transaction }, rows) => async (_, { idempotencyKey }) => {
        await transaction('commit', (tx) => {
          if (!isMarked || tx.once(idempotencyKey)) tx.write(() => rows.push('row'))
        })
      })
    const report = await simulateCrashes(withMark(true))
    expect([unsafeNames(report), report.scenarios.length]).toEqual([[], 8])
    // Both processes have taken the mark when the first one stalls; one of them commits.
    expect(named(report, 'stalls before "commit"')).toMatchObject({
      steps: { commit: 1 },
      error: { message: expect.stringContaining('rolled back') },
    })
    expect((await simulateCrashes(withMark(false))).isSafe).toBe(false)
  })

  test('writes all changes of a transaction at its end, or none', async () => {
    const report = await simulateCrashes(
      crashSetupOf(({ step, transaction }, rows) => async () => {
        await transaction('commit', async (tx) => {
          tx.write(() => rows.push('a'))
          await step('fetch', () => {})
          tx.write(() => rows.push('b'))
        })
      }),
    )
    expect(named(report, 'dies before "fetch"')).toMatchObject({ effects: ['a', 'b'], steps: { fetch: 1, commit: 1 } })
    expect(named(report, 'dies before "commit"')).toMatchObject({ effects: ['a', 'b'], steps: { fetch: 2, commit: 1 } })
    expect(named(report, 'dies after "commit"')).toMatchObject({ effects: ['a', 'b', 'a', 'b'] })
  })

  test('lets an earlier worker be rejected by its fence', async () => {
    const report = await simulateCrashes(() => {
      const row = { fence: 0, writes: 0 }
      const write = ({ fence }: DeliveryContext) => {
        if (fence < row.fence) throw new PermanentError('a later worker was here')
        Object.assign(row, { fence, writes: 1 })
      }
      return {
        handlers: ({ step }) => ({ onSucceeded: (_, context) => step('write', () => write(context)) }),
        effects: () => row.writes,
      }
    })
    expect(report.isSafe).toBe(true)
    expect(named(report, 'stalls before "write"')).toMatchObject({
      steps: { write: 1 },
      error: { name: 'PermanentError' },
    })
  })
})
