import type { CliContext } from '../cli-context.ts'
import { InterruptedError } from '../errors/interrupted-error.ts'
import { isClientError } from '../errors/report-error.ts'
import { cleanText } from '../terminal/clean-text.ts'
import type { FollowedJob } from './finish-job.ts'

/** Ends a wait after Ctrl-C: says how to follow the job, or cancels it. @throws InterruptedError */
export async function endInterrupted(followed: FollowedJob, context: CliContext): Promise<never> {
  const { job, options } = followed
  const id = cleanText(job.id)
  const advice = `Follow it with: modelrun job ${id} --watch`
  if (options.onInterrupt === 'detach') {
    throw new InterruptedError(`stopped waiting. The job goes on, and may be charged. ${advice}`)
  }
  context.terminal.say(`Cancelling the job ${id}.`)
  throw new InterruptedError(await cancel(followed, advice))
}

async function cancel({ job, run, ledger }: FollowedJob, advice: string): Promise<string> {
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
