import * as z from 'zod/mini'
import { type Answer, UnreadableAnswer } from '../http/operation.ts'
import { readJson, tryParseJson } from '../http/read-json.ts'
import type { UnrecognizedRunResponse } from './run-answer.ts'

interface PartialAnswer {
  job_id: string
  status?: unknown
}

const partialAnswerSchema = /* @__PURE__ */ (() =>
  z.looseObject({
    job_id: z.string(),
    status: z.optional(z.unknown()),
  }))() satisfies z.ZodMiniType<PartialAnswer>

/** The wrappers that other answers of the service have (sections 2.4 and 7). */
const wrapperSchema = /* @__PURE__ */ (() =>
  z.looseObject({ data: z.optional(z.unknown()), error: z.optional(z.unknown()) }))()

/** The id in a text that ends too early: in the answer itself or a wrapper, after members that are no objects. */
const CUT_ANSWER = /* @__PURE__ */ (() => {
  const text = String.raw`"(?:[^"\\]|\\.)*"`
  const members = String.raw`(?:\s*${text}\s*:\s*(?:${text}|[\w.+-]+)\s*,)*\s*`
  return new RegExp(String.raw`^\s*\{${members}(?:"(?:data|error)"\s*:\s*\{${members})?"job_id"\s*:\s*"([^"\\]+)"`)
})()

/** Where the id of a cut answer is looked for. Matching a huge text could exhaust the stack. */
const CUT_ANSWER_LENGTH = 10_000

/**
 * Finds the job of an answer that is cut or of another shape: a run that was paid for must not be lost. Only the answer
 * itself, its `data` and its `error` count: deeper down, a `job_id` may echo the input, and name another job.
 */
export function salvageJob({ text }: Answer): UnrecognizedRunResponse | undefined {
  const value = tryParseJson(text)
  if (value === undefined) {
    const jobId = CUT_ANSWER.exec(text.slice(0, CUT_ANSWER_LENGTH))?.[1]
    return jobId === undefined ? undefined : { status: 'unknown', job_id: jobId }
  }
  const wrapper = z.safeParse(wrapperSchema, value)
  const places = wrapper.success ? [value, wrapper.data.data, wrapper.data.error] : []
  const found = places.map((place) => z.safeParse(partialAnswerSchema, place).data).find((partial) => partial?.job_id)
  return found && unknownRun(found)
}

const readPartialAnswer = /* @__PURE__ */ readJson(partialAnswerSchema)

/** For an answer in which no job was found: says what is missing. @throws UnreadableAnswer */
export function refuseAnswer(answer: Answer): never {
  readPartialAnswer(answer)
  throw new UnreadableAnswer('its `job_id` is empty')
}

function unknownRun({ job_id, status }: PartialAnswer): UnrecognizedRunResponse {
  return { status: 'unknown', job_id, ...(typeof status === 'string' ? { reported_status: status } : {}) }
}
