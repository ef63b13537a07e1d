import { stringIn } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import { addAttempt, agreedTo, submitDataOf } from './add-run.ts'
import { type ListedRun, OPEN_STATES, pagesOf, partAfter, type RunList } from './list-runs.ts'
import { type Attempt, latestAttempt, readAttempt } from './read-runs.ts'
import { isEnded, keyOf, type SubmitData } from './run-types.ts'
import { asJson, decide, type RunsContext, resubmitsOf, storeOutcome } from './runs-context.ts'

/** Lists the runs whose tasks of `submit`, then of `poll`, are dead. */
export async function listUnknown({ limit = 100, after }: RunList, context: RunsContext): Promise<ListedRun[]> {
  const { engine, queues } = context
  const found: ListedRun[] = []
  const { rest, first, place } = partAfter(after, ['submit', 'poll'])
  for (const name of rest) {
    const page = { limit: limit - found.length, after: name === first ? place : undefined }
    const records = await engine.list(queues[name], 'dead', page)
    const runs = await Promise.all(
      records.map(async ({ id, cursor }) => {
        const run = await readAttempt(id, context)
        const isListed = run?.state === 'unknown' && (run.jobId === undefined) === (name === 'submit')
        if (isListed) return [{ ...run, cursor: `${name}:${cursor}` }]
        // The job or the outcome became known after the task was dead: the task ends without sending. Without them, a user
        // has just decided to send the run again: a second `replay` could send it a third time.
        if (run === undefined || (run.jobId === undefined && !isEnded(run))) return []
        await engine.guardedBy({ queue: queues.submit, id, addedAt: run.addedAt }).replay(queues[name], id)
        return []
      }),
    )
    found.push(...runs.flat())
    if (found.length >= limit) break
  }
  return found
}

/**
 * Decides that an unknown run has this job; without one, that its known job is polled again.
 *
 * @throws ConfigurationError when it is the job of another run, whose result it would be twice
 */
export async function resolveUnknown(key: string, given: string | undefined, context: RunsContext): Promise<boolean> {
  const latest = await latestAttempt(key, context)
  const jobId = given ?? latest?.run.jobId
  if (latest?.run.state !== 'unknown' || jobId === undefined) return false
  // Of several runs that are given one job, the first one has it. No key has this character.
  return decide(`\u001e${jobId}`, () => giveJob(jobId, latest, context), context)
}

async function giveJob(jobId: string, { id, run }: Attempt, context: RunsContext): Promise<boolean> {
  const { engine, queues } = context
  const owner = jobId === run.jobId ? undefined : await ownerOf(jobId, context)
  if (owner !== undefined) {
    const message = `The job ${jobId} is that of the run ${owner}. The run ${run.key} stays unknown.`
    throw new ConfigurationError({ message })
  }
  const data = asJson({ model: run.model, jobId, submittedAt: Date.now(), mayBeUnknown: true })
  if (run.jobId !== undefined) {
    // Its submit has to be over: it would send the run if it ran now, while no job is stored.
    if ((await engine.get(queues.submit, id))?.state !== 'done') {
      await engine.replay(queues.submit, id)
      return jobId === run.jobId && engine.replay(queues.poll, id)
    }
    await engine.remove(queues.poll, id)
  }
  await engine.add(queues.poll, id, { data })
  // The task of the submit ends without sending, because the job of the run is known.
  await engine.replay(queues.submit, id)
  // A delivery may have ended it with another job.
  return (await readAttempt(id, context))?.jobId === jobId
}

/** Returns the key of the run that has this job. Reads the whole batch, for a decision of a person. */
async function ownerOf(jobId: string, context: RunsContext): Promise<string | undefined> {
  const { outcomes, poll } = context.queues
  for (const [queue, states] of [[outcomes, ['waiting']] as const, [poll, [...OPEN_STATES, 'dead']] as const]) {
    for (const state of states) {
      for await (const page of pagesOf(queue, { state }, context)) {
        const owner = page.find(({ data }) => stringIn(data, 'jobId') === jobId)
        if (owner !== undefined) return keyOf(owner.id)
      }
    }
  }
  return undefined
}

export async function resubmitUnknown(
  key: string,
  { lostJob, ...agreed }: { lostJob?: string | undefined } & Pick<SubmitData, 'maxCredits'>,
  context: RunsContext,
): Promise<boolean> {
  const latest = agreedTo(await latestAttempt(key, context), agreed)
  if (latest?.run.state !== 'unknown' || latest.run.jobId !== lostJob) return false
  const { engine, queues } = context
  const { id } = latest
  if (lostJob !== undefined) {
    const error = { code: 'JOB_GIVEN_UP', message: `The job ${lostJob} was given up, and its run is sent again.` }
    await storeOutcome(id, { state: 'failed', jobId: lostJob, error }, context)
    await engine.remove(queues.poll, id)
    await addAttempt(latest, context)
    return true
  }
  // Counted before it is sent, because the earlier send may be charged, too.
  await engine.reserve(queues.resubmits(id), String(await resubmitsOf(id, context)), { amount: 1 })
  await engine.remove(queues.cancels, id)
  await engine.update(queues.submit, id, asJson(submitDataOf(latest.run)))
  // A delivery may have ended it meanwhile: then nothing is sent.
  return (await engine.replay(queues.submit, id)) && (await engine.get(queues.outcomes, id)) === undefined
}
