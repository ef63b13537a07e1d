import { ASSUMPTION_NOTES, assumptionsSchema, DEFAULT_ASSUMPTIONS } from '@modelrun/contract/assumptions'
import { isRecord, type JsonValue } from './json.ts'
import { isAlike } from './judges/error-members.ts'
import type { NotApplied, ServiceProfile } from './profile.ts'

/**
 * What an observation makes of the reference server: the settings by which it does the same (none where it does so by
 * itself), or why it cannot, or both where it is about several things.
 */
type Application = (observed: JsonValue) => Part | readonly Part[]
type Part = ServiceProfile | string

/** Statuses of a job, as they are seen in order. */
const SEQUENCES = ['queued,processing,succeeded', 'processing,succeeded', 'succeeded', 'queued,succeeded']

/**
 * The observations that are no setting by themselves, by their names in requirements.json. Any other has the name of an
 * assumption, or of a rejection, of the reference server, and its values. The test of the profile looks for both.
 */
export const CALIBRATION: Readonly<Record<string, Application>> = {
  modelStatuses: onlyLike([[], ['active']], 'the catalog says which occur'),
  outputType: onlyLike(['image'], 'the catalog says what a model makes'),
  fileAccess: onlyLike(['public'], 'its files can be read without a key'),
  statusSequence: onlyLike(SEQUENCES, 'its jobs are queued, processing, and then end'),
  defaultOffset: onlyLike([0], 'it starts with the first model'),
  badPages: eachOf,
  unknownCategory: (value) => [
    setting('unknownCategory', value),
    ...(isRecord(value) ? [{ unknownCategory: 'reject' as const }] : []),
  ],
  searchWithoutMatch: onlyLike(['nothing'], 'it does not know what comes close'),
  plainSlashInPath: servedOrUnknown('plainSlashInPath'),
  trailingSlash: servedOrUnknown('trailingSlash'),
  headRequests: (value) =>
    isRecord(value) && value.status === 200
      ? { headRequests: 'served' }
      : ifRejected(value, { headRequests: 'rejected' }),
  otherBodies: eachOf,
  otherInputs: eachOf,
  specialValues: eachOf,
  // What was not sent is expected to be like the word that was.
  invalidSync: (value) => {
    const { syncWord = null, ...sent } = isRecord(value) ? value : {}
    return eachOf({ syncWord, syncYes: syncWord, syncText: syncWord, ...sent })
  },
  asyncRunWithWebhook: (value) => {
    const response = isRecord(value) ? value.response : undefined
    return response === 'undefined' ? 'it takes both together' : setting('asyncRunWithWebhook', response ?? null)
  },
  deliveryHeaders: onlyLike([[]], 'it does not know what they hold'),
  rateLimit: onlyLike(['none'], 'it has no rate limit; a fault makes one'),
  withoutVersion: (value) => setting('unknownPath', value),
}

/** The observations as settings of the reference server, and those that are none, with why. */
export function profileOf(observations: Readonly<Record<string, JsonValue>>): {
  profile: ServiceProfile
  notApplied: NotApplied[]
} {
  const notApplied: NotApplied[] = []
  let profile: ServiceProfile = {}
  for (const [name, observed] of Object.entries(observations)) {
    const parts = [CALIBRATION[name]?.(observed) ?? setting(name, observed)].flat()
    const reasons = parts.filter((part) => typeof part === 'string')
    if (reasons.length > 0) notApplied.push({ name, observed, reason: reasons.join('. ') })
    for (const part of parts) if (typeof part !== 'string') profile = merged(profile, part)
  }
  return { profile: withOwnMembers(profile), notApplied }
}

/** What all errors hold stands in `errorMembers`: a rejection has members of its own only where it holds others. */
function withOwnMembers({ rejections, ...profile }: ServiceProfile): ServiceProfile {
  const { requests = {} } = profile.errorMembers ?? {}
  const own = Object.entries(rejections ?? {}).map(([kind, rejection]) => {
    if (typeof rejection === 'string' || rejection.status < 400) return [kind, rejection]
    const { members = {}, ...named } = rejection
    return [kind, isAlike(members, requests) ? named : { ...named, members }]
  })
  return rejections === undefined ? profile : { ...profile, rejections: Object.fromEntries(own) }
}

function merged(one: ServiceProfile, other: ServiceProfile): ServiceProfile {
  const rejections = { ...one.rejections, ...other.rejections }
  return { ...one, ...other, ...(Object.keys(rejections).length === 0 ? {} : { rejections }) }
}

/** Sets an assumption or a rejection of the reference server, where it has this choice. */
function setting(name: string, observed: JsonValue): Part {
  const isSwitch =
    Object.hasOwn(DEFAULT_ASSUMPTIONS, name) && !(isRecord(observed) && name in DEFAULT_ASSUMPTIONS.rejections)
  const isRejection = name in DEFAULT_ASSUMPTIONS.rejections && !isSwitch
  const settings = isRejection ? { rejections: { [name]: rejectionIn(observed) } } : { [name]: observed }
  // The schema has just said so.
  if (assumptionsSchema.safeParse(settings).success) return settings as ServiceProfile
  if (isRecord(observed) && observed.code === null) return 'it rejects such a request, with a code'
  const note = ASSUMPTION_NOTES.find((one) => one.name === name || one.rejections?.some((kind) => kind === name))
  return `its choices are: ${[note?.choice, ...(note?.alternatives ?? [])].join('; ')}`
}

/** A status of success without members of its own is an acceptance. */
function rejectionIn(observed: JsonValue): JsonValue {
  const isAccepted = isRecord(observed) && Number(observed.status) < 300 && observed.fields === undefined
  return isAccepted ? 'accepted' : observed
}

function servedOrUnknown(name: 'plainSlashInPath' | 'trailingSlash'): Application {
  return (value) => (value === 'served' ? { [name]: value } : ifRejected(value, { [name]: 'unknown' }))
}

/** What a service responds otherwise, such as with a redirect, is not known. */
function ifRejected(observed: JsonValue, rejected: ServiceProfile): ServiceProfile | string {
  const isRejected = isRecord(observed) && Number(observed.status) >= 400
  return isRejected ? rejected : 'it serves such a request, or rejects it'
}

/** Several observations, each with the name of a rejection. */
function eachOf(observed: JsonValue): Part[] {
  return Object.entries(isRecord(observed) ? observed : {}).map(([name, value]) => {
    const applied = setting(name, value as JsonValue)
    return typeof applied === 'string' ? `${name}: ${applied}` : applied
  })
}

/** Needs no setting where the service does as the reference server always does. */
function onlyLike(same: readonly JsonValue[], reason: string): Application {
  return (observed) => (same.some((one) => JSON.stringify(one) === JSON.stringify(observed)) ? {} : reason)
}
