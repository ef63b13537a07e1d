import type { JobHandle } from 'modelrun'
import type { CliContext } from '../cli-context.ts'
import { InterruptedError } from '../errors/interrupted-error.ts'
import { followAdvice, isClientError } from '../errors/report-error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { cleanText } from '../terminal/clean-text.ts'

/** A job that this process waits for. */
interface InterruptedJob {
  job: JobHandle
  /** Its name in the ledger; undefined for a job of another place. */
  run?: string | undefined
  ledger: Ledger
  options: { onInterrupt: 'detach' | 'cancel' }
}

/** Ends a wait after Ctrl-C: says how to follow the job, or cancels it. @throws InterruptedError */
export async function endInterrupted(followed: InterruptedJob, context: CliContext): Promise<never> {
  const { job, options } = followed
  const id = cleanText(job.id)
  const advice = followAdvice(job.id)
  if (options.onInterrupt === 'detach') {
    throw new InterruptedError(`stopped waiting. The job continues, and may be charged. ${advice}`)
  }
  context.terminal.say(`Cancelling the job ${id}.`)
  throw new InterruptedError(await cancel(followed, advice))
}

async function cancel({ job, run, ledger }: InterruptedJob, advice: string): Promise<string> {
  try {
    const { status } = await job.cancel()
    if (status !== 'cancelled') return `the job is ${cleanText(status)} and was not cancelled. ${advice}`
    if (run !== undefined) ledger.append({ type: 'end', run, status: 'cancelled' })
    return `the job ${cleanText(job.id)} is cancelled. It is not charged.`
  } catch (error) {
    if (!isClientError(error)) throw error
    return `the job was not cancelled: ${cleanText(error.message)} ${advice}`
  }
}
