import * as z from 'zod/mini'
import { defineSchema } from '../define-schema.ts'

/**
 * Members of a body that the specification does not name, with their values: those of an error in `error`, as in
 * `{ error: { details: [] }, path: '/v1/models' }`. Of a wrong input, `{parameter}` stands for the name of its parameter.
 */
export const membersSchema = /* @__PURE__ */ defineSchema(() => z.record(z.string(), z.json()))

/** Of all errors, and of kinds that have others. */
const allErrorMembersSchema = /* @__PURE__ */ defineSchema(() => {
  const members = z.optional(membersSchema)
  return z.strictObject({
    /** Of every request that is rejected, unless it is one of the next two, or its rejection has members of its own. */
    requests: members,
    /** Of the 401 of a missing or invalid key (section 5). */
    unauthorized: members,
    /** Of the 403 of a key that lacks a permission (section 5). */
    forbidden: members,
    /** Of the job status of a failed job. */
    jobs: members,
    /** Of the response to a run whose job fails while it is held. */
    runs: members,
    /** Of failure deliveries. */
    deliveries: members,
  })
})

/** The switch for them. */
export const ERROR_MEMBERS = {
  section: '7',
  question: 'Members of errors beside code and message',
  choice: 'None, so that no client relies on them',
  alternatives: ['any, each with its value; those of one rejection in its members'],
  setting: z._default(allErrorMembersSchema, {}),
}
