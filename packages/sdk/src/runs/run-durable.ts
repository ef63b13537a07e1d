import type { Core } from '../core.ts'
import { DurableRunError } from '../errors/job-errors.ts'
import { ConfigurationError } from '../errors/local-errors.ts'
import { AbortedError } from '../errors/transport-errors.ts'
import { showCaller } from '../http/api-promise.ts'
import { outcomeOfJob, toResult } from '../jobs/wait-for-job.ts'
import { stableJson } from '../models/schema-hash.ts'
import { toBase64Url } from '../signing/base64.ts'
import { checkInput } from './check-run.ts'
import type { DurableItem, DurableRun, DurableRuns, RunManyCall, SettledRun } from './run-many-options.ts'
import type { RunResult } from './run-result.ts'

/** An input of the loop. */
interface Item<I> extends DurableItem {
  index: number
  given: I
  /** Why it cannot become a run. */
  reason?: unknown
}

/** Runs a model on many inputs as runs of a durable batch, and yields each as it ends, in this process or another. */
export async function* runDurable<I extends object>(
  core: Core,
  { model, inputs, options, caller }: RunManyCall<I>,
  durable: DurableRuns,
): AsyncGenerator<SettledRun<I>, void, undefined> {
  const { concurrency, signal, onProgress, keyOf } = options
  const hashOf = inputKeys(model)
  let started = 0
  let settled = 0
  async function* items(): AsyncGenerator<Item<I>> {
    for await (const given of inputs) {
      const index = started++
      try {
        const input = checkInput(given)
        yield { index, given, input, key: checkKey(keyOf === undefined ? await hashOf(input) : keyOf(given, index)) }
      } catch (reason) {
        yield { index, given, input: {}, reason }
      }
    }
  }
  try {
    for await (const { item, run } of durable.runEach(model, items(), { concurrency, signal })) {
      const { index, given: input } = item
      const end = settle(core, { model, item, run })
      if (end.status === 'rejected') showCaller(end.reason, caller)
      settled++
      await onProgress?.({ index, step: end.status, job_id: run?.jobId, started, settled })
      yield { index, input, job_id: run?.jobId, ...end }
    }
  } catch (error) {
    if (!signal?.aborted) throw error
    const message = 'The loop was aborted. Its runs stay in the durable batch: the same call continues them.'
    throw new AbortedError({ message, cause: signal.reason, submission: 'unknown' })
  }
}

function checkKey(key: unknown): string {
  if (typeof key === 'string' && key !== '') return key
  throw new ConfigurationError({ message: '`keyOf` of `client.runMany` must give a text that is not empty.' })
}

function settle<I>(
  core: Core,
  { model, item, run }: { model: string; item: Item<I>; run: DurableRun | undefined },
): { status: 'fulfilled'; value: RunResult } | { status: 'rejected'; reason: unknown } {
  try {
    if (run === undefined) throw item.reason
    checkSame(item, run, model)
    return { status: 'fulfilled', value: resultOf(core, item, run) }
  } catch (reason) {
    return { status: 'rejected', reason }
  }
}

/** A key names one run for ever: the result of another input must not pass for that of this one. */
function checkSame({ key, input }: DurableItem, run: DurableRun, model: string): void {
  if (run.model === model && stableJson(run.input) === stableJson(input)) return
  const message = `The key ${key} is that of another run in this durable batch, with another model or input. Nothing was sent.`
  throw new ConfigurationError({ message })
}

/** @throws JobFailedError, JobCancelledError, DurableRunError */
function resultOf(core: Core, { key }: DurableItem, { model, state, jobId, output, error }: DurableRun): RunResult {
  if (jobId !== undefined && state !== 'unknown') {
    const isCancelled = error?.code === 'CANCELLED'
    const job =
      state === 'failed' ? { status: isCancelled ? 'cancelled' : 'failed', error } : { status: 'succeeded', output }
    return toResult(core, outcomeOfJob({ jobId, modelId: model }, job))
  }
  const isUnknown = state === 'unknown'
  const problem = isUnknown
    ? 'may have been accepted, and is not sent again by itself. Decide with `resolve` or `resubmit` of the durable batch.'
    : 'was rejected. Nothing was charged.'
  throw new DurableRunError({
    message: `The run ${key} ${problem} ${error?.message ?? ''}`.trim(),
    jobId,
    submission: isUnknown ? 'unknown' : 'rejected',
    reason: error,
  })
}

/** Makes keys of inputs: SHA-256 of model and input, and a number when an input comes again. */
function inputKeys(model: string): (input: object) => Promise<string> {
  const counts = new Map<string, number>()
  return async (input) => {
    const bytes = new TextEncoder().encode(stableJson([model, input]))
    const hash = toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
    const count = (counts.get(hash) ?? 0) + 1
    counts.set(hash, count)
    return count === 1 ? hash : `${hash}.${count}`
  }
}
