import { type ErrorDetail, LIMITS, ROUTES, type RunRequest, type RunResponse } from '@modelrun/contract'
import {
  ConfigurationError,
  describeIssues,
  isRecord,
  memberOf,
  readArguments,
  readJson as readPlainJson,
  showValue,
  stringIn,
} from '@modelrun/kit'
import { InputValidationError } from '../errors/local-errors.ts'
import { type Operation, type ReceivedResponse, UnreadableResponse } from '../http/operation.ts'
import { asKnownStatus, jsonIn, only, parseJson, toJobId, toOutput, wrongShape } from '../http/read-response.ts'
import { isRejection, runIn } from '../http/run-in-response.ts'
import { errorDetailOf, NO_REASON } from '../jobs/job-operations.ts'

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
  /** Why the job has failed, when the response says that it has. */
  error?: ErrorDetail | undefined
}

/** The response to a run: those of section 4.3, distinguished by `status`, or of an unknown status. */
export type AnyRunResponse = RunResponse | UnrecognizedRunResponse

/** How long the service may hold the request of a run, by its body. */
export function holdOf(body: unknown): number {
  const isHeld = memberOf(body, 'sync') !== false && memberOf(body, 'webhook_url') === undefined
  return isHeld ? LIMITS.syncWaitMs : 0
}

/** The call of `POST /v1/models/{model}/run` (section 4.3). */
export function runOperation(model: string, body: RunRequest): Operation<AnyRunResponse> {
  return {
    route: ROUTES.runModel,
    parameters: { model },
    body,
    isRun: true,
    holdMs: holdOf(body),
    read: (received) => readKnownResponse(received) ?? recoverJob(received) ?? rejectResponse(received),
    // A failure that names its job says that the run was accepted, and may have its result.
    readError: (received) => {
      const known = isRejection(received.status) ? undefined : readKnownResponse(received)
      const data = known?.status === 'completed' ? known : recoverJob(received)
      return data && { data }
    },
  }
}

/**
 * The response as the specification shows it. A result was paid for, and a job is there, whatever the side fields look like: those of
 * a wrong type are left out, as they are in a job that is polled. With a whole output the job has ended, whatever the word for that
 * is, but for those of other states (section 3).
 */
function readKnownResponse(received: ReceivedResponse): RunResponse | undefined {
  const value = membersIn(received)
  const status = statusIn(value)
  const isOpen = status === 'processing' || status === 'queued'
  const found = isOpen || status === 'failed' || status === 'cancelled' ? undefined : toOutput(value.output)
  // Without the word for the end it may be of a state before that, or of an error.
  const isEmpty = found?.items.length === 0 || (status !== undefined && received.status === 202)
  const output = isEmpty && status !== 'succeeded' ? undefined : found
  // A result that is whole needs no id: it is empty where the response has none that can be polled.
  const jobId = toJobId(value.job_id) ?? (output && '')
  if (jobId === undefined || (output === undefined && !isOpen)) return undefined
  const typed = Object.entries(value).filter(([name, member]) => typeof member === (SIDE_FIELDS[name] ?? typeof member))
  const read = output ? { output, status: 'completed' } : { status }
  // The type of a response is what the specification shows.
  return { ...Object.fromEntries(typed), job_id: jobId, ...read } as RunResponse
}

/** The members of a response to a run, which may be in a list of one, or in `data`, as in a poll. */
function membersIn(received: ReceivedResponse): Record<string, unknown> {
  const value = only(jsonIn(received))
  const data = memberOf(value, 'data')
  return { ...(isRecord(data) ? data : {}), ...(isRecord(value) ? value : {}) }
}

function statusIn({ status }: Record<string, unknown>): string | undefined {
  return typeof status === 'string' ? asKnownStatus(status) : undefined
}

const SIDE_FIELDS: Readonly<Record<string, string>> = {
  request_id: 'string',
  model_id: 'string',
  message: 'string',
  duration_ms: 'number',
  credits_used: 'number',
}

export function recoverJob(received: ReceivedResponse): UnrecognizedRunResponse | undefined {
  const { jobId, isOwn } = runIn(received) ?? {}
  if (!isOwn || jobId === undefined) return undefined
  const members = membersIn(received)
  const reported_status = stringIn(members, 'status')
  // The word of a response with an error status may be about the request.
  const hasFailed = received.response.ok && statusIn(members) === 'failed'
  const error = hasFailed && (errorDetailOf(members.error) ?? NO_REASON)
  return { status: 'unknown', job_id: jobId, ...(reported_status && { reported_status }), ...(error && { error }) }
}

/** For a response without a job: says what is missing. @throws UnreadableResponse */
export function rejectResponse(received: ReceivedResponse): never {
  const job_id = stringIn(parseJson(received), 'job_id')
  if (job_id === undefined) throw wrongShape('/job_id', 'a string')
  throw new UnreadableResponse(`its \`job_id\` ${JSON.stringify(job_id)} is not an id`)
}

/**
 * Reads the input of a run as every call of the client sends it: as JSON. An input that JSON would change or empty without a
 * word is rejected: files, functions, `NaN`, invalid dates, `undefined` in a list, a Map, an object that contains itself.
 *
 * @returns A plain copy. Members that are undefined are left out, and `toJSON` has been called
 * @throws InputValidationError with a JSON pointer to each of these
 * @throws ConfigurationError for an input that is not an object of parameters
 */
export function checkInput(input: unknown): Record<string, unknown> {
  return readArguments('client.run', () => {
    const json = typeof input === 'object' ? checkJson(input, 'input') : undefined
    if (isRecord(json)) return json
    throw new ConfigurationError({
      message: `The input of a run must be an object of parameters, like { prompt: 'a red fox' }, not ${showValue(input)}. Nothing was sent.`,
    })
  })
}

/** A copy of what is sent as JSON. @throws InputValidationError with a JSON pointer to what JSON would lose or change */
export function checkJson(value: unknown, noun: 'input' | 'body'): unknown {
  const { json, issues } = readPlainJson(value)
  if (issues.length === 0) return json
  const message = `The ${noun} cannot be sent as JSON. ${describeIssues(issues, `The ${noun}`)} Nothing was sent.`
  throw new InputValidationError({ message, issues })
}
