import { LIMITS, ROUTES, type RunRequest, type RunResponse, runResponseSchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import type { Answer, Operation } from '../http/operation.ts'
import { readJson, tryParseJson } from '../http/read-json.ts'

/**
 * An answer to a run that the specification does not show, from which at least the job's id could be read. The job
 * exists: poll it.
 */
export interface UnknownRun {
  status: 'unknown'
  job_id: string
  /** The status that the answer had, when it had one. */
  reported_status?: string | undefined
}

/** The answer to a run: those of section 4.3, told apart by `status`, or {@link UnknownRun}. */
export type RunAnswer = RunResponse | UnknownRun

/** The call of `POST /v1/models/{model}/run` (section 4.3). */
export function runOperation(model: string, body: RunRequest): Operation<RunAnswer> {
  const isHeld = body.sync !== false && body.webhook_url === undefined
  return {
    route: ROUTES.runModel,
    parameters: { model },
    body,
    isRun: true,
    ...(isHeld ? { holdMs: LIMITS.syncWaitMs } : {}),
    read: (answer) => readKnownAnswer(answer) ?? salvage(answer) ?? readStrictly(answer),
    // Whatever the status: an answer that names a job tells that the run was accepted.
    readError: (answer) => {
      const data = salvage(answer)
      return data && { data }
    },
  }
}

const readStrictly = readJson(runResponseSchema)

const partialAnswerSchema = z.looseObject({
  job_id: z.string().check(z.minLength(1)),
  status: z.optional(z.unknown()),
})

function readKnownAnswer({ text, isCut }: Answer): RunResponse | undefined {
  const checked = z.safeParse(runResponseSchema, isCut ? undefined : tryParseJson(text))
  return checked.success ? checked.data : undefined
}

/** Finds the job of an answer that is cut or of another shape: a run that was paid for must not be lost. */
function salvage({ text }: Answer): UnknownRun | undefined {
  const checked = z.safeParse(partialAnswerSchema, tryParseJson(text))
  if (!checked.success) {
    const jobId = /"job_id"\s*:\s*"([^"\\]+)"/.exec(text)?.[1]
    return jobId === undefined ? undefined : { status: 'unknown', job_id: jobId }
  }
  const { job_id, status } = checked.data
  return { status: 'unknown', job_id, ...(typeof status === 'string' ? { reported_status: status } : {}) }
}
