import { afterEach, describe, expect, test, vi } from 'vitest'
import { caught } from '../../../testing/caught.ts'
import { crashSetupOf, sendMail } from '../../../testing/crash-setup-of.ts'
import { failedEvent, succeededEvent } from '../event-fixtures.ts'
import type { CrashHandlers, ProcessTools } from './crash-setup.ts'
import { simulateCrashes } from './simulate-crashes.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('the simulation', () => {
  test('aborts the signal of a handler that stalled, and counts its attempts', async () => {
    const seen: [number, boolean][] = []
    await simulateCrashes(
      crashSetupOf(({ step }, effects) => async (_, { attempt, signal }) => {
        await step('work', () => effects.push('effect'))
        seen.push([attempt, signal.aborted])
      }),
    )
    expect(seen).toContainEqual([1, true])
    expect(seen).toContainEqual([2, false])
    expect(seen).not.toContainEqual([2, true])
  })

  test('gives the handler the event and the context that it is given', async () => {
    const seen: unknown[] = []
    const event = failedEvent()
    await simulateCrashes(
      () => {
        const rows = new Set<string>()
        const handlers = ({ step }: ProcessTools): CrashHandlers => ({
          onFailed: async (delivered, { context }) => {
            await step('write', () => rows.add('row'))
            seen.push(delivered, context)
          },
        })
        return { handlers, effects: () => rows }
      },
      { event, context: { order: 7 } },
    )
    expect(seen.slice(0, 2)).toEqual([event, { order: 7 }])
  })

  test('needs no timers: those of the test may be fake, and no time passes', async () => {
    vi.useFakeTimers()
    const startedAt = Date.now()
    await expect(simulateCrashes(sendMail)).resolves.toMatchObject({ isSafe: false })
    expect([Date.now() - startedAt, vi.getTimerCount()]).toEqual([0, 0])
  })

  test('waits for what a handler does in real time', async () => {
    const report = await simulateCrashes(() => {
      const rows = new Set<string>()
      const write = async () => {
        await new Promise((resolve) => setTimeout(resolve, 2))
        rows.add('row')
      }
      return { handlers: ({ step }) => ({ onSucceeded: () => step('write', write) }), effects: async () => [...rows] }
    })
    expect(report).toMatchObject({ isSafe: true, wanted: ['row'] })
  })

  test.each([
    { why: 'makes no step', onSucceeded: () => {}, effects: () => Math.random() },
    { why: 'has no handler for the event', onSucceeded: undefined, effects: () => Math.random() },
  ])('rejects a handler that $why: it would look safe', async ({ onSucceeded, effects }) => {
    const work = simulateCrashes(() => ({ handlers: () => ({ onSucceeded }), effects }))
    expect((await caught(work, Error)).message).toContain('makes no step')
  })

  test('rejects effects that do not show, and says what the handler threw', async () => {
    const fail = () => Promise.reject(new Error('no table'))
    const work = simulateCrashes(() => ({
      handlers: ({ step }) => ({ onSucceeded: () => step('write', fail) }),
      effects: () => [],
    }))
    const { message } = await caught(work, Error)
    expect(message).toContain('`effects()` is the same before and after')
    expect(message).toContain('Error: no table')
  })

  test('gives each scenario an event of the same job', async () => {
    const ids = new Set<string>()
    await simulateCrashes(
      crashSetupOf(({ step }, effects) => async ({ job_id }) => {
        ids.add(job_id)
        await step('write', () => effects.push('effect'))
      }),
      { event: succeededEvent({ job_id: 'job_7' }) },
    )
    expect([...ids]).toEqual(['job_7'])
  })
})
