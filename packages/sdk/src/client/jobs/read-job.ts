import type { ErrorDetail, Job } from '@modelrun/contract'
import * as z from 'zod/mini'
import type { ReceivedResponse } from '../http/operation.ts'
import { readJson } from '../http/read-response.ts'

const receivedJobSchema = /* @__PURE__ */ (() =>
  z.looseObject({
    data: z.looseObject({
      status: z.string(),
      // The specification leaves types open (section 2.5). Text, for instance, may come without a url: it was paid for.
      output: z.optional(z.looseObject({ items: z.array(z.looseObject({})) })),
      error: z.optional(z.unknown()),
    }),
  }))()

/**
 * Reads the job of a response (section 4.4), and takes more than the specification shows: a job that has ended must not be lost
 * to the shape of its error or of an item.
 *
 * @throws UnreadableResponse
 */
export function readJob(received: ReceivedResponse): Job {
  const { error: reported, ...job } = readJson(receivedJobSchema)(received).data
  const error = errorDetailOf(reported)
  // The type of an output is what the specification shows. `save` and `download` check each url.
  return { ...job, ...(error === undefined ? {} : { error }) } as Job
}

/** Longest text of an error that has no message, in characters. */
const MAX_LENGTH = 500

function errorDetailOf(reported: unknown): ErrorDetail | undefined {
  if (typeof reported !== 'object' || reported === null) return unnamedError(textOf(reported))
  const [code, message] = [textOf(Reflect.get(reported, 'code')), textOf(Reflect.get(reported, 'message'))]
  if (code !== undefined) return { ...reported, code, message: message ?? 'The service gave no reason.' }
  return unnamedError(message ?? (Object.keys(reported).length > 0 ? JSON.stringify(reported) : undefined))
}

function unnamedError(text: string | undefined): ErrorDetail | undefined {
  return text === undefined ? undefined : { code: 'UNKNOWN', message: text.slice(0, MAX_LENGTH) }
}

/** A number as text. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' ? text : undefined
}
