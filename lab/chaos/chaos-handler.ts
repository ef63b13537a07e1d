import { setTimeout as sleep } from 'node:timers/promises'
import { type EventHandler, NonRetriableError, type SucceededEvent } from 'modelrun/webhooks'
import { outputUrlOf } from '../../packages/integration-tests/src/durable/job-service.ts'
import { chance } from './chance.ts'
import type { Effects } from './effects.ts'
import { outcomeOf } from './handler-outcome.ts'
import type { Journal } from './journal.ts'
import { sabotageOf } from './sabotage.ts'
import { MAX_RUN_MS, type ReceiverSettings } from './settings.ts'

/** Longest work of a handler without a fault. */
const WORK_MS = 20
const LATER_MS = 300

export interface ChaosHandlerOptions {
  settings: ReceiverSettings
  journal: Journal
  effects: Effects
  isLate(job: string, fence: number): boolean
}

/** A handler that works for a moment, and then ends with the outcome that the seed gives to this attempt. */
export function createChaosHandler(options: ChaosHandlerOptions): EventHandler<SucceededEvent> {
  const { settings, journal, effects, isLate } = options
  const { seed, isSabotaged } = settings
  return async ({ job_id: job, output, credits_used = 6 }, { fence, source, attempt, idempotencyKey, context }) => {
    const isForged = output.items[0]?.url !== outputUrlOf(job) || credits_used !== 6 || Object(context).job !== job
    journal.write({ what: 'started', job, fence, source, isLate: isLate(job, fence), isForged })
    await sleep(WORK_MS * chance(seed, 'work', job, attempt))
    const sabotage = isSabotaged ? sabotageOf(job) : undefined
    const work = () => (sabotage === 'forgets' ? undefined : effects.apply(idempotencyKey, sabotage !== 'no mark'))
    const note = (what: 'throws' | 'hangs' | 'dies' | 'gives up') => journal.write({ what, job, fence })
    const die = () => {
      note('dies')
      process.kill(process.pid, 'SIGKILL')
    }
    switch (outcomeOf(seed, { job, attempt })) {
      case 'works':
        return work()
      case 'throws after its work':
        work()
        note('throws')
        throw new Error('The handler fails when its work is done.')
      case 'throws':
        note('throws')
        throw new Error('The handler fails.')
      case 'gives up':
        note('gives up')
        throw new NonRetriableError('for_good', 'The handler fails for good.')
      case 'hangs':
        note('hangs')
        return await new Promise(() => {})
      case 'is late':
        note('hangs')
        await sleep(MAX_RUN_MS + LATER_MS)
        return work()
      case 'dies first':
        return die()
      case 'dies after its work':
        work()
        return die()
      case 'dies at its end':
        work()
        setTimeout(die, chance(seed, 'moment', job, attempt) * 3)
        return
    }
  }
}
