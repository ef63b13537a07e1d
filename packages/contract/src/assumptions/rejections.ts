import * as z from 'zod/mini'
import { defineSchema } from '../define-schema.ts'
import { membersSchema } from './error-members.ts'

/** What a rejection can be. */
const choices = /* @__PURE__ */ defineSchema(() => {
  const statusFrom = (least: number) => z.int().check(z.minimum(least), z.maximum(599))
  // Instead of those that `errorMembers` gives to all.
  const members = z.optional(membersSchema)
  const error = z.strictObject({ status: statusFrom(400), code: z.string(), members })
  const errorOr = <Name extends string>(...names: [Name, ...Name[]]) =>
    z.union(
      [z.enum(names), error],
      `must be ${names.map((name) => `"${name}"`).join(', ')}, or { status, code } of an error`,
    )
  // With a status of success the response is not an error: it has no code, and its members are JSON pointers.
  const fields = z.optional(z.readonly(z.array(z.string())))
  const ineffective = z.strictObject({ status: statusFrom(200), code: z.nullable(z.string()), fields, members })
  const cancel = z.union([z.literal('accepted'), ineffective], 'must be "accepted", or { status, code, fields? }')
  return {
    error,
    acceptable: errorOr('accepted'),
    page: errorOr('accepted', 'default', 'asked'),
    sync: errorOr('accepted', 'async'),
    omittable: errorOr('accepted', 'default'),
    cancel,
    id: z.union([z.literal('unknown'), z.extend(error, { rightForm: z.optional(z.string()) })]),
  }
})

const invalid = { status: 400, code: 'VALIDATION_ERROR' }

/** Of the list of models (section 4.1). */
const OF_LISTS = /* @__PURE__ */ defineSchema(() => {
  const { omittable, page } = choices
  return {
    /** A `limit` above 100 (section 8). Accepted: 100; default: as without it. Default 400 VALIDATION_ERROR. */
    limitAboveMaximum: z._default(page, invalid),
    /** `limit=0`. Accepted: 1; default: as without it; asked: as it is. Default 400 VALIDATION_ERROR. */
    limitZero: z._default(page, invalid),
    /** A `limit` below 0; choices as above. Default 400 VALIDATION_ERROR. */
    limitNegative: z._default(page, invalid),
    /** A `limit` that is not a number, or given twice. Accepted: as without it. Default 400 VALIDATION_ERROR. */
    limitText: z._default(page, invalid),
    /** An `offset` below 0. Accepted: 0; asked: as it is. Default 400 VALIDATION_ERROR. */
    offsetNegative: z._default(page, invalid),
    /** An `offset` that is not a number, or given twice. Accepted: as without it. Default 400 VALIDATION_ERROR. */
    offsetText: z._default(page, invalid),
    /** An `offset` behind the last model. Accepted: their number; default: 0. Default asked: an empty page. */
    offsetBeyondEnd: z._default(page, 'asked'),
    /** A `limit` or `offset` with a fraction. Accepted: cut off; default: as without it. Default 400 VALIDATION_ERROR. */
    pageFraction: z._default(page, invalid),
    /** `limit=` without a value. Accepted: the least; default: as without it. Default 400 VALIDATION_ERROR. */
    pageEmpty: z._default(page, invalid),
    /** The same of `offset=`. Default 400 VALIDATION_ERROR. */
    offsetEmpty: z._default(page, invalid),
    /** A `limit` or `offset` that starts with a number, as `5abc`. Accepted: the number. Default 400 VALIDATION_ERROR. */
    pageMixed: z._default(page, invalid),
    /** `category=` without a value. Accepted: nothing is found; default: as without it. Default accepted. */
    categoryEmpty: z._default(omittable, 'accepted'),
  }
})

/** Of runs (section 4.3). */
const OF_RUNS = /* @__PURE__ */ defineSchema(() => {
  const { acceptable, error, omittable, sync } = choices
  return {
    /** A run without a body. Default 400 VALIDATION_ERROR. */
    emptyBody: z._default(error, invalid),
    /** A body that is not JSON. Default 400 VALIDATION_ERROR. */
    brokenJson: z._default(error, invalid),
    /** A body without an `input`. Default 400 VALIDATION_ERROR. */
    invalidBody: z._default(error, invalid),
    /** `input: null`. Default 400 VALIDATION_ERROR. */
    inputNull: z._default(error, invalid),
    /** An `input` that is an array. Default 400 VALIDATION_ERROR. */
    inputArray: z._default(error, invalid),
    /** An `input` that is a text, a number or a boolean. Default 400 VALIDATION_ERROR. */
    otherInput: z._default(error, invalid),
    /** A body that is an array. Default 400 VALIDATION_ERROR. */
    arrayBody: z._default(error, invalid),
    /** A body that is JSON and neither an object nor an array. Default 400 VALIDATION_ERROR. */
    scalarBody: z._default(error, invalid),
    /** `sync: "false"` or `"true"`. Accepted: like `true`; async: like `false`. Default 400 VALIDATION_ERROR. */
    syncWord: z._default(sync, invalid),
    /** `sync: "0"` or `"1"`; choices as above. Default 400 VALIDATION_ERROR. */
    syncDigit: z._default(sync, invalid),
    /** `sync: "yes"`, `"no"`, `"on"` or `"off"`; choices as above. Default 400 VALIDATION_ERROR. */
    syncYes: z._default(sync, invalid),
    /** `sync` that is another text, an array or an object; choices as above. Default 400 VALIDATION_ERROR. */
    syncText: z._default(sync, invalid),
    /** `sync` that is a number; choices as above. Default 400 VALIDATION_ERROR. */
    syncNumber: z._default(sync, invalid),
    /** `sync: null`; choices as above. Default 400 VALIDATION_ERROR. */
    syncNull: z._default(sync, invalid),
    /** An `input` without a mandatory parameter. Accepted: the job fails. Default 400 VALIDATION_ERROR. */
    missingParameter: z._default(acceptable, invalid),
    /** An `input` with a value that the model does not allow. Accepted: the job fails. Default 400 VALIDATION_ERROR. */
    invalidInput: z._default(acceptable, invalid),
    /** An `input` with a parameter that the model does not have. Default 400 VALIDATION_ERROR. */
    unknownParameter: z._default(acceptable, invalid),
    /** A member of the body that section 4.3 does not name. Default 400 VALIDATION_ERROR. */
    unknownMember: z._default(acceptable, invalid),
    /**
     * A `webhook_url` that is not http or https. Accepted: like a webhook, to which nothing is delivered; default: as without
     * it. Default 400 VALIDATION_ERROR.
     */
    webhookScheme: z._default(omittable, invalid),
    /** A `webhook_url` that is not a URL; choices as above. Default 400 VALIDATION_ERROR. */
    malformedWebhookUrl: z._default(omittable, invalid),
    /** `webhook_url: ""`; choices as above. Default 400 VALIDATION_ERROR. */
    webhookEmpty: z._default(omittable, invalid),
    /** `webhook_url: null`; choices as above. Default 400 VALIDATION_ERROR. */
    webhookNull: z._default(omittable, invalid),
    /** A `webhook_url` that is neither a text nor null; choices as above. Default 400 VALIDATION_ERROR. */
    webhookNumber: z._default(omittable, invalid),
    /** `null` for a parameter of `input` that is not mandatory. Accepted: as without it. Default 400 VALIDATION_ERROR. */
    optionalNull: z._default(acceptable, invalid),
    /** An empty text for a mandatory parameter. Default accepted. */
    requiredEmpty: z._default(acceptable, 'accepted'),
    /** A `webhook_url` with http (section 6, rule 5). Default accepted. */
    plainHttpWebhook: z._default(acceptable, 'accepted'),
    /** JSON of another content type. Default 415 UNSUPPORTED_MEDIA_TYPE. */
    otherContentType: z._default(acceptable, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' }),
  }
})

/**
 * How requests are rejected that the specification says nothing of (section 7), or `'accepted'` where they are not, each with
 * the default of the reference server. The body is that of section 7, with `members` where it has more.
 */
export const REJECTIONS = /* @__PURE__ */ defineSchema(() => {
  const { acceptable, cancel, error, id } = choices
  const notFound = { status: 404, code: 'NOT_FOUND' }
  const conflict = { status: 409, code: 'CONFLICT' }
  return {
    ...OF_LISTS,
    ...OF_RUNS,
    /** `GET` of an unknown model. Default 404 NOT_FOUND. */
    unknownModel: z._default(error, notFound),
    /** A run of an unknown model. Default 404 NOT_FOUND. */
    unknownModelRun: z._default(error, notFound),
    /** `GET` of an unknown job, or one of another account. Default 404 NOT_FOUND. */
    unknownJob: z._default(error, notFound),
    /**
     * `GET` or cancel of a job by an id in another form than those of this server and `rightForm`, an id of the service. Unknown:
     * like an unknown job. Default unknown.
     */
    malformedJobId: z._default(id, 'unknown'),
    /** A path that does not exist. Default 404 NOT_FOUND. */
    unknownPath: z._default(error, notFound),
    /** A path below `/v1` that does not exist, without a key. Default 401 UNAUTHORIZED. */
    unknownPathWithoutKey: z._default(error, { status: 401, code: 'UNAUTHORIZED' }),
    /**
     * A method that a path does not have. Without a key as well where `unknownPathWithoutKey` is not 401. Default 405
     * METHOD_NOT_ALLOWED.
     */
    wrongMethod: z._default(error, { status: 405, code: 'METHOD_NOT_ALLOWED' }),
    /** Too few credits. Default 402 INSUFFICIENT_CREDITS. */
    insufficientCredits: z._default(error, { status: 402, code: 'INSUFFICIENT_CREDITS' }),
    /** A key that is used from outside its allowlist. Default 403 FORBIDDEN. */
    ipOutsideAllowlist: z._default(error, { status: 403, code: 'FORBIDDEN' }),
    /** A `category` outside section 2.2, where `unknownCategory` is `reject`. Default 400 VALIDATION_ERROR. */
    unknownCategory: z._default(error, invalid),
    /** A query parameter that is not named. Default 400 VALIDATION_ERROR. */
    unknownQueryParameter: z._default(acceptable, invalid),
    /** Cancel of an unknown job. Accepted: like a cancel, or with a status of its own. Default 404 NOT_FOUND. */
    cancelOfUnknownJob: z._default(cancel, notFound),
    /** Cancel of a job that succeeded or failed (section 3). Accepted: nothing changes. Default 409 CONFLICT. */
    cancelOfFinishedJob: z._default(cancel, conflict),
    /** Cancel of a cancelled job. Accepted: nothing changes. Default 409 CONFLICT. */
    cancelOfCancelledJob: z._default(cancel, conflict),
  }
})

/** The rejections of a service (section 7). */
export type Rejections = { [Kind in keyof typeof REJECTIONS]: z.output<(typeof REJECTIONS)[Kind]> }

/** What a request is rejected for. */
export type RejectionKind = keyof Rejections
