import { stringIn } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import { addAttempt } from './add-run.ts'
import type { ListedRun, RunList } from './list-runs.ts'
import { latestAttempt, readAttempt } from './read-runs.ts'
import { isEnded, keyOf } from './run-types.ts'
import { asJson, OPEN_STATES, pagesOf, type RunsContext, storeOutcome } from './runs-context.ts'

/** Lists the runs whose tasks of `submit`, then of `poll`, are dead. */
export async function listUnknown({ limit = 100, after = '' }: RunList, context: RunsContext): Promise<ListedRun[]> {
  const { engine, queues } = context
  const found: ListedRun[] = []
  for (const name of ['submit', 'poll'] as const) {
    const [, place] = after.split(`${name}:`)
    if (name === 'submit' && after !== '' && place === undefined) continue
    const records = await engine.list(queues[name], 'dead', { limit: limit - found.length, after: place })
    const runs = await Promise.all(
      records.map(async ({ id, cursor }) => {
        const run = await readAttempt(id, context)
        const isListed = run?.state === 'unknown' && (run.jobId === undefined) === (name === 'submit')
        if (isListed) return [{ ...run, cursor: `${name}:${cursor}` }]
        // The job or the outcome became known after the task was dead: the task ends without sending. Without them, a user
        // has just decided to send the run again: a second `replay` could send it a third time.
        if (run !== undefined && (run.jobId !== undefined || isEnded(run))) await engine.replay(queues[name], id)
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
  const { engine, queues } = context
  const { id, run } = (await latestAttempt(key, context)) ?? {}
  const jobId = given ?? run?.jobId
  if (id === undefined || run?.state !== 'unknown' || jobId === undefined) return false
  const owner = jobId === run.jobId ? key : ((await ownerOf(jobId, context)) ?? (await claimantOf(jobId, key, context)))
  if (owner !== key) {
    const message = `The job ${jobId} is that of the run ${owner}. The run ${key} stays unknown.`
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
  return true
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

/** Lets one of several runs claim a job, before it is stored with a run. Returns the key of that run. */
async function claimantOf(jobId: string, key: string, context: RunsContext): Promise<string> {
  const { engine, queues } = context
  await engine.add(queues.claims, jobId, { data: { key } })
  const claimant = stringIn((await engine.get(queues.claims, jobId))?.data, 'key') ?? key
  const { run } = (await latestAttempt(claimant, context)) ?? {}
  if (claimant === key || run?.state === 'unknown' || run?.jobId === jobId) return claimant
  // Its run was deleted, or has another job now.
  await engine.remove(queues.claims, jobId)
  return claimantOf(jobId, key, context)
}

/** Sends an unknown run again. `replay` is atomic: of two calls at the same time, one sends. */
export async function resubmitUnknown(
  key: string,
  lostJob: string | undefined,
  context: RunsContext,
): Promise<boolean> {
  const latest = await latestAttempt(key, context)
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
  const resubmits = queues.resubmits(id)
  await engine.reserve(resubmits, String(await engine.total(resubmits)), { amount: 1 })
  await engine.remove(queues.cancels, id)
  return engine.replay(queues.submit, id)
}
