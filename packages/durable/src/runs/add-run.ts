import { isRecord, isText, kindOf, notNegative, readArguments, stableJson } from '@modelrun/kit'
import { ConfigurationError } from 'modelrun'
import { checkInput } from 'modelrun/models'
import { completeDeletion } from './delete-runs.ts'
import { type Attempt, isDeleted, latestAttempt } from './read-runs.ts'
import type { GivenRun, Outcome, SubmitData } from './run-types.ts'
import { attemptBefore, attemptId, checkKey, isEnded } from './run-types.ts'
import { asJson, decide, fromJson, type RunsContext } from './runs-context.ts'

/**
 * Adds a run. One of this key that was rejected for a lower `maxCredits` runs again, and one that waits takes the new one.
 *
 * @throws ConfigurationError when the key is that of a run with another model or input
 */
export async function addCheckedRun(key: string, given: GivenRun, context: RunsContext): Promise<void> {
  const { engine, queues } = context
  const wanted = checkedRun(key, given)
  await engine.add(queues.submit, key, { data: asJson(wanted) })
  context.known.hasResponded = true
  engine.notify?.()
  const stored = await engine.get(queues.submit, key)
  if (stored === undefined) return
  if (isDeleted(stored)) {
    await completeDeletion(key, context)
    return await addCheckedRun(key, given, context)
  }
  const known = fromJson<SubmitData>(stored.data)
  checkSameRun(key, wanted, known)
  if (stored.state === 'done') await addToEnded(key, wanted, context)
  else await changeLimit(key, { wanted, known }, context)
}

/** Changes the limit of a run that waits: it is sent for no more than what the last caller that named one has agreed to. */
export async function changeLimit(
  key: string,
  { wanted, known }: { wanted: SubmitData; known: SubmitData },
  context: RunsContext,
): Promise<void> {
  const isOther = (run: SubmitData) => wanted.maxCredits !== undefined && wanted.maxCredits !== run.maxCredits
  const change = async ({ engine, queues }: RunsContext) => {
    const latest = await latestAttempt(key, context)
    if (latest?.run.state !== 'waiting' || !isOther(latest.run)) return
    const data = submitDataOf({ ...latest.run, maxCredits: wanted.maxCredits })
    await engine.update(queues.submit, latest.id, asJson(data))
  }
  if (isOther(known)) await decide(key, change, context)
}

export function submitDataOf({ model, input, maxCredits, webhookUrl }: SubmitData): SubmitData {
  return { model, input, maxCredits: finite(maxCredits), webhookUrl }
}

/** An attempt with the limit that its user has named now, if any. */
export function agreedTo(attempt: Attempt | undefined, agreed: Pick<SubmitData, 'maxCredits'>): Attempt | undefined {
  return attempt && { ...attempt, run: { ...attempt.run, ...agreed } }
}

/** Returns a run with the input as JSON has it. @throws ConfigurationError or InputValidationError */
export function checkedRun(key: string, given: GivenRun): SubmitData {
  checkRun(key, given)
  checkKey(key)
  return { ...given, maxCredits: finite(given.maxCredits), input: checkInput(given.input) }
}

/** Returns a limit as JSON has it: without `Infinity`. */
function finite(limit: number | undefined): number | undefined {
  return limit === Number.POSITIVE_INFINITY ? undefined : limit
}

/** @throws ConfigurationError when the key is that of a run with another model or input */
export function checkSameRun(key: string, wanted: SubmitData, { model, input }: SubmitData): void {
  if (model === wanted.model && stableJson(input) === stableJson(wanted.input)) return
  const message = `The key ${key} is that of another run in this batch, with another model or input. Nothing was sent.`
  throw new ConfigurationError({ message })
}

function checkRun(key: unknown, { model, input, maxCredits }: GivenRun): void {
  readArguments('runs.add', (report) => {
    report('maxCredits', notNegative(maxCredits))
    if (isText(model) && isRecord(input)) return
    const hint = typeof model === 'object' || key === undefined ? ' Its key is missing.' : ''
    const message = `A run takes a key, a model and an input, as in runs.add('poster-1', 'aurora-image', { prompt: 'a fox' }). It got ${[key, model, input].map(kindOf).join(', ')}.${hint}`
    throw new ConfigurationError({ message })
  })
}

/** Sends a run that has ended without a result once more, as a new attempt. */
export async function retryRun(
  key: string,
  agreed: Pick<SubmitData, 'maxCredits'>,
  context: RunsContext,
): Promise<boolean> {
  const latest = agreedTo(await latestAttempt(key, context), agreed)
  if (latest === undefined || !isEnded(latest.run) || latest.run.state === 'succeeded') return false
  await addAttempt(latest, context)
  return true
}

export async function addAttempt({ attempt, run }: Attempt, context: RunsContext): Promise<void> {
  const { engine, queues } = context
  const id = attemptId(run.key, attempt + 1)
  await engine.add(queues.submit, id, { data: asJson(submitDataOf(run)) })
  await countAttempt(id, context)
  engine.notify?.()
}

/**
 * Counts an attempt in place of the one before it. Completed when it is worked, because the call that added it may have died; one
 * that is counted is only read.
 */
export async function countAttempt(id: string, { engine, queues }: RunsContext): Promise<void> {
  const before = attemptBefore(id)
  if (before === undefined) return
  const ends = Object.values(queues.ends).map((queue) => ({ queue, id: before }))
  const [counted, ...marks] = await engine.getAll([{ queue: queues.retried, id }, ...ends])
  if (counted === undefined) await engine.add(queues.retried, id, { data: null })
  const left = ends.filter((_, index) => counted === undefined || marks[index] !== undefined)
  for (const { queue } of left) await engine.remove(queue, before)
}

/** Of a run whose first attempt has ended. */
async function addToEnded(key: string, wanted: SubmitData, context: RunsContext): Promise<void> {
  const latest = await latestAttempt(key, context)
  if (latest !== undefined) await changeLimit(key, { wanted, known: latest.run }, context)
  if (latest?.run.state === 'rejected') await decide(key, (guarded) => retryForBudget(key, wanted, guarded), context)
}

/** Lets a run try again that was rejected for the budget, once for each `maxCredits` that is higher than the one before. */
async function retryForBudget(key: string, { maxCredits }: SubmitData, context: RunsContext): Promise<void> {
  const latest = await latestAttempt(key, context)
  const isDearer = latest?.run.state === 'rejected' && latest.run.error?.code === 'budget_exceeded'
  if (isDearer && (latest.run.maxCredits ?? 0) < (maxCredits ?? Number.POSITIVE_INFINITY)) {
    return await addAttempt({ ...latest, run: { ...latest.run, maxCredits } }, context)
  }
  if (latest?.run.error?.code !== 'BUDGET_EXCEEDED') return
  const stored = await context.engine.get(context.queues.outcomes, latest.id)
  const outcome = stored === undefined ? undefined : fromJson<Outcome>(stored.data)
  if (outcome?.state !== 'rejected' || outcome.maxCredits === undefined) return
  if (outcome.maxCredits < (context.maxCredits ?? Number.POSITIVE_INFINITY)) await addAttempt(latest, context)
}
