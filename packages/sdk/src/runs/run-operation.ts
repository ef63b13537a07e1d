import {
  LIMITS,
  ROUTES,
  type RunRequest,
  type RunResponse,
  runCompletedSchema,
  runProcessingSchema,
  runQueuedSchema,
} from '@modelrun/contract'
import * as z from 'zod/mini'
import { type Operation, type ReceivedResponse, UnreadableResponse } from '../http/operation.ts'
import { parseByStatus, readJson, tryParseJson } from '../http/read-response.ts'

/**
 * A response to a run that the specification does not show, from which at least the job's id could be read. The job
 * exists: poll it.
 */
export interface UnrecognizedRunResponse {
  /** None of the statuses that the specification shows. `reported_status` is the status of the response. */
  status: 'unknown'
  /** Identifier of the job. */
  job_id: string
  /** The status of the response, when it had one. */
  reported_status?: string | undefined
}

/** The response to a run: those of section 4.3, distinguished by `status`, or {@link UnrecognizedRunResponse}. */
export type AnyRunResponse = RunResponse | UnrecognizedRunResponse

/** The call of `POST /v1/models/{model}/run` (section 4.3). */
export function runOperation(model: string, body: RunRequest): Operation<AnyRunResponse> {
  const isHeld = body.sync !== false && body.webhook_url === undefined
  return {
    route: ROUTES.runModel,
    parameters: { model },
    body,
    isRun: true,
    ...(isHeld ? { holdMs: LIMITS.syncWaitMs } : {}),
    read: (received) => readKnownResponse(received) ?? recoverJob(received) ?? rejectResponse(received),
    jobIdIn: (received) => recoverJob(received)?.job_id,
    // With any status, a response that names a job says that the run was accepted.
    readError: (received) => {
      const data = recoverJob(received)
      return data && { data }
    },
  }
}

const SCHEMAS_BY_STATUS = {
  completed: runCompletedSchema,
  processing: runProcessingSchema,
  queued: runQueuedSchema,
}

function readKnownResponse({ text, isCut }: ReceivedResponse): RunResponse | undefined {
  return isCut ? undefined : parseByStatus<RunResponse>(SCHEMAS_BY_STATUS, asRunStatus(tryParseJson(text)))
}

/** A response to a run says `completed` where jobs and deliveries say `succeeded` (section 3). Both words are accepted. */
function asRunStatus(value: unknown): unknown {
  const isSuccess = typeof value === 'object' && value !== null && Reflect.get(value, 'status') === 'succeeded'
  return isSuccess ? { ...value, status: 'completed' } : value
}

interface PartialRunResponse {
  job_id: string
  status?: unknown
}

const partialRunSchema = /* @__PURE__ */ (() =>
  z.looseObject({
    job_id: z.string(),
    status: z.optional(z.unknown()),
  }))() satisfies z.ZodMiniType<PartialRunResponse>

/** The wrappers of other responses of the service (sections 2.4 and 7). */
const wrapperSchema = /* @__PURE__ */ (() =>
  z.looseObject({ data: z.optional(z.unknown()), error: z.optional(z.unknown()) }))()

/** Finds the job id in a text that ends too early: in the response itself or a wrapper, after members that are not objects. */
const CUT_RESPONSE = /* @__PURE__ */ (() => {
  const text = String.raw`"(?:[^"\\]|\\.)*"`
  const members = String.raw`(?:\s*${text}\s*:\s*(?:${text}|[\w.+-]+)\s*,)*\s*`
  return new RegExp(String.raw`^\s*\{${members}(?:"(?:data|error)"\s*:\s*\{${members})?"job_id"\s*:\s*"([^"\\]+)"`)
})()

/** The part of a cut response that is searched. Matching a huge text could exhaust the stack. */
const CUT_RESPONSE_LENGTH = 10_000

/**
 * Recovers the job of a response that is cut or has another shape, because a run that was paid for must not be lost. Only
 * the response itself, its `data` and its `error` are read: a deeper `job_id` may be an echo of the input, and name
 * another job.
 */
export function recoverJob({ text }: ReceivedResponse): UnrecognizedRunResponse | undefined {
  const value = tryParseJson(text)
  if (value === undefined) {
    const jobId = CUT_RESPONSE.exec(text.slice(0, CUT_RESPONSE_LENGTH))?.[1]
    return jobId === undefined ? undefined : { status: 'unknown', job_id: jobId }
  }
  const wrapper = z.safeParse(wrapperSchema, value)
  const places = wrapper.success ? [value, wrapper.data.data, wrapper.data.error] : []
  const found = places.map((place) => z.safeParse(partialRunSchema, place).data).find((partial) => partial?.job_id)
  return found && unknownRun(found)
}

const readPartialRun = /* @__PURE__ */ readJson(partialRunSchema)

/** For a response without a job: says what is missing. @throws UnreadableResponse */
export function rejectResponse(received: ReceivedResponse): never {
  readPartialRun(received)
  throw new UnreadableResponse('its `job_id` is empty')
}

function unknownRun({ job_id, status }: PartialRunResponse): UnrecognizedRunResponse {
  return { status: 'unknown', job_id, ...(typeof status === 'string' ? { reported_status: status } : {}) }
}
