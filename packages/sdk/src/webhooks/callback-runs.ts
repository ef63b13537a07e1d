import { ConfigurationError, printFailure, stringIn, type Task } from '@modelrun/kit'
import { wallNow } from '../shared/clock.ts'
import type { InboxCore } from './inbox-core.ts'
import type { ExpectOptions, PreparedRun, PrepareOptions } from './inbox-options.ts'
import { keepTrying } from './queues.ts'
import { endInResponse } from './read-end.ts'
import { expected, jobKey, putJob, readRun, readStoredJob, readStoredRun, type StoredRun } from './stored-job.ts'

/** A prepared run without a job is reported after this time. */
const UNCONFIRMED_RUN_MS = 15 * 60_000

/** Creates a callback URL for a run that is about to be sent, and stores that. */
export async function prepareRun(core: InboxCore, { modelId, context }: PrepareOptions): Promise<PreparedRun> {
  const { options, queues } = core
  rejectDrained(core)
  const prepared = await signUrl(options, undefined)
  const stored: StoredRun = { modelId, context, isPrepared: true, notedAt: wallNow(options.clock) }
  await queues.runs.add(prepared.ref, stored, UNCONFIRMED_RUN_MS)
  return prepared
}

/** @throws ConfigurationError when nothing would work the task of a run */
function rejectDrained({ options, stopping }: InboxCore): void {
  if (!stopping.signal.aborted || !options.isInMemory) return
  const message = 'This inbox was drained, and is in memory: it would lose the result of this run. Create a new inbox.'
  throw new ConfigurationError({ message })
}

export async function signUrl(
  { tokens, publicUrl }: InboxCore['options'],
  baseUrl: string | undefined = publicUrl,
): Promise<PreparedRun> {
  if (tokens === undefined) {
    throw new ConfigurationError({
      message: 'Callback URLs are signed: pass `createInbox({ secret })`, at least 32 bytes that only you know.',
    })
  }
  if (baseUrl === undefined) {
    throw new ConfigurationError({
      message: 'The inbox does not know its URL: pass `createInbox({ publicUrl })`, or a URL to `callbackUrl`.',
    })
  }
  return await tokens.create(baseUrl)
}

/** Stores that a job is expected, with what was stored by `prepare`. */
export async function expectJob(core: InboxCore, jobId: string, options: ExpectOptions): Promise<void> {
  const { queues, hooks } = core
  rejectDrained(core)
  const { ref, firstState, pollInMs = core.options.expectedAfterMs } = options
  // Of a program without types it may be any JSON.
  const isState = stringIn(firstState, 'status') !== undefined
  const event = firstState && isState ? endInResponse(jobId, firstState) : undefined
  const key = jobKey(jobId)
  const make = async () => {
    const run = ref === undefined ? undefined : await readRun(queues, ref)
    if (ref !== undefined && run?.key !== undefined && run.key !== key) throw urlIsTaken(ref, jobId)
    const change = expected({
      context: options.context ?? run?.context,
      ref,
      notedAt: wallNow(core.options.clock),
      ...(event && { source: 'poll', event }),
    })
    const task = await queues.jobs.get(key)
    const knownRef = readStoredJob(task?.data)?.ref
    if (ref !== undefined && knownRef !== undefined && knownRef !== ref) hooks.warnOnce('known', jobId)
    await putJob(queues, { key, change, delayMs: event ? 0 : pollInMs }, task)
    // Last: until then the run counts as one without a job.
    if (ref !== undefined && !(await claimUrl(core, ref, key))) throw urlIsTaken(ref, jobId)
  }
  // The run is paid, and nothing else would store its job.
  const onFailure = (error: unknown) =>
    printFailure('warn', `the inbox could not note that the job ${jobId} is expected`, error)
  await keepTrying(core, make, onFailure)
}

function urlIsTaken(ref: string, jobId: string): ConfigurationError {
  return new ConfigurationError({
    message: `The reference ${ref} belongs to another job than ${jobId}: prepare each run by itself, and give each one its own callback URL.`,
  })
}

/** Works the task of a run: reports a prepared run whose job is still not known. */
export async function reportRun({ hooks }: InboxCore, { id: ref, data }: Task): Promise<undefined> {
  const { isPrepared, modelId, context, key } = readStoredRun(data) ?? {}
  if (isPrepared && key === undefined) hooks.notify('onUnconfirmedRun', { ref, modelId, context })
}

/**
 * Gives a callback URL to the job of its first confirmed delivery, or of `expect`. The context of its run stays with it.
 *
 * @returns false when the URL belongs to another job
 */
export async function claimUrl({ queues, options }: InboxCore, ref: string, key: string): Promise<boolean> {
  const { runs } = queues
  for (;;) {
    const task = await runs.get(ref)
    const run = readStoredRun(task?.data)
    if (run?.key !== undefined) return run.key === key
    const claimed: StoredRun = { notedAt: wallNow(options.clock), ...run, key }
    // Read again: another job may have the URL now.
    await (task === undefined ? runs.add(ref, claimed) : runs.update(ref, claimed))
  }
}
