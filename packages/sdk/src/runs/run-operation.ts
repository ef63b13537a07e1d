import {
  LIMITS,
  ROUTES,
  type RunRequest,
  type RunResponse,
  runCompletedSchema,
  runProcessingSchema,
  runQueuedSchema,
} from '@modelrun/contract'
import type { Answer, Operation } from '../http/operation.ts'
import { tryParseJson } from '../http/read-json.ts'
import { parseByStatus } from '../parse-wire.ts'
import type { AnyRunResponse } from './run-answer.ts'
import { refuseAnswer, salvageJob } from './salvage-job.ts'

/** The call of `POST /v1/models/{model}/run` (section 4.3). */
export function runOperation(model: string, body: RunRequest): Operation<AnyRunResponse> {
  const isHeld = body.sync !== false && body.webhook_url === undefined
  return {
    route: ROUTES.runModel,
    parameters: { model },
    body,
    isRun: true,
    ...(isHeld ? { holdMs: LIMITS.syncWaitMs } : {}),
    read: (answer) => readKnownAnswer(answer) ?? salvageJob(answer) ?? refuseAnswer(answer),
    jobIdIn: (answer) => salvageJob(answer)?.job_id,
    // Whatever the status: an answer that names a job tells that the run was accepted.
    readError: (answer) => {
      const data = salvageJob(answer)
      return data && { data }
    },
  }
}

const ANSWERS_BY_STATUS = {
  completed: runCompletedSchema,
  processing: runProcessingSchema,
  queued: runQueuedSchema,
}

function readKnownAnswer({ text, isCut }: Answer): RunResponse | undefined {
  return isCut ? undefined : parseByStatus<RunResponse>(ANSWERS_BY_STATUS, asRunStatus(tryParseJson(text)))
}

/** A response to a run says `completed` where jobs and deliveries say `succeeded` (section 3): either word will do. */
function asRunStatus(value: unknown): unknown {
  const isSuccess = typeof value === 'object' && value !== null && Reflect.get(value, 'status') === 'succeeded'
  return isSuccess ? { ...value, status: 'completed' } : value
}
