import * as z from 'zod/mini'
import { defineSchema } from '../define-schema.ts'
import { membersSchema } from './error-members.ts'

/** Where a member is in a body. */
export const pointer = z
  .string()
  .check(z.refine((text) => /^\/[^~]+$/.test(text), 'write it as a JSON pointer, such as /data/status'))

/** A member of a response to a run, behind the status of the response. */
const runField = z
  .string()
  .check(
    z.refine(
      (text) => /^(completed|queued|processing|failed|cancelled)\//.test(text),
      'write it as in queued/created_at',
    ),
  )

/** The same of a delivery. */
const deliveryField = z
  .string()
  .check(z.refine((text) => /^(succeeded|failed|cancelled)\//.test(text), 'write it as in failed/model_id'))

/** Where lists and models have them. */
const listMembersSchema = /* @__PURE__ */ defineSchema(() => {
  const members = z.optional(membersSchema)
  return z.strictObject({
    /** Of a page that others follow. */
    more: members,
    /** Of the last page. */
    last: members,
    /** Of each entry of a list, where the catalog has no other value for its model; those of its `pricing` in `pricing`. */
    entries: members,
    /** The same of the details of a model. */
    details: members,
  })
})

/** The switches for members that the specification does not name. */
export const MORE_MEMBERS = {
  /**
   * Members of lists, of their entries and of details that sections 2.1 and 4.1 do not name, each with its value. Default
   * none; details have all members of the catalog.
   */
  listMembers: {
    section: '4.1',
    question: 'Members of lists, of their entries and of details that the section does not name',
    choice: 'None in lists and entries; details have what the catalog has',
    alternatives: ['any, each with its value: on pages that others follow, and on the last page'],
    setting: z._default(listMembersSchema, {}),
  },
  /**
   * Members of responses to runs that section 4.3 does not name, each behind the status of the response, as in
   * `queued/created_at`. What the server knows nothing of is shown as `memberValues` say. Default none.
   */
  runFields: {
    section: '4.3',
    question: 'Members of responses to runs that the section does not name',
    choice: 'None, so that no client relies on them',
    alternatives: [
      'any, each behind the status of the response, as in queued/created_at: those of jobFields and message are filled in, others are as in memberValues',
    ],
    setting: z._default(z.readonly(z.array(runField)), []),
  },
  /**
   * Members of the job status beyond status, output and error (section 2.4), where only some statuses have one behind the
   * status, as in `failed/logs`, and one beside `data` a slash, as in `/success`. What the server knows nothing of is shown
   * as `memberValues` say. Default none.
   */
  jobFields: {
    section: '4.4',
    question: 'Members of the job status beyond status, output and error',
    choice: 'None, so that no client relies on them',
    alternatives: [
      'any: job_id, id, request_id, model_id, created_at, completed_at, duration_ms, credits_used and credits_remaining are filled in (createdAt as created_at), others are as in memberValues; /success stands beside data',
    ],
    setting: z._default(z.readonly(z.array(z.string())), []),
  },
  /**
   * Values of members that the specification does not name, by their names, or by name and status as in `queued/eta_ms`, and as in
   * `runs/queued/eta_ms` of responses to runs alone: what the server shows where it knows no better. It shows a time that it knows in the same form, and nothing that is `null`
   * here. Default none: such members are `null`.
   */
  memberValues: {
    section: '4.4',
    question: 'Values of members of runs, jobs, cancels and deliveries that the specification does not name',
    choice: 'null, where the server does not know the member',
    alternatives: ['any, by the name of the member, or by name and status as in queued/eta_ms or runs/queued/eta_ms'],
    setting: z._default(membersSchema, {}),
  },
  /**
   * Members of the response to a cancel, as JSON pointers, such as `/status`; none: no body. What the server knows nothing
   * of is shown as `memberValues` say. Default `/data/job_id` and `/data/status`.
   */
  cancelFields: {
    section: '4.5',
    question: 'Body of the response to a cancel',
    choice: '{ data: { job_id, status: "cancelled" } }',
    alternatives: ['none', 'any members at any place'],
    setting: z._default(z.readonly(z.array(pointer)), ['/data/job_id', '/data/status']),
  },
  /** Members of deliveries that section 6 does not name, each behind its status, as in `failed/model_id`. Default none. */
  deliveryFields: {
    section: '6',
    question: 'Members of deliveries that the section does not name',
    choice: 'None',
    alternatives: ['any, as in runFields'],
    setting: z._default(z.readonly(z.array(deliveryField)), []),
  },
}
