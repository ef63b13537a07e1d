import { ASSUMPTION_NOTES, type AssumptionOptions, assumptionsSchema } from '@modelrun/contract/assumptions'
import { isRecord, itemsOf, type JsonValue } from './json.ts'
import type { NotApplied, ServiceProfile } from './profile.ts'

/**
 * What an observation makes of the reference server: the settings by which it does the same (none where it does so by
 * itself), or why it cannot.
 */
type Application = (observed: JsonValue, all: Readonly<Record<string, JsonValue>>) => ServiceProfile | string

type RejectionKind = keyof NonNullable<ServiceProfile['rejections']>

/**
 * Every observation, by its name in requirements.json. One that is added there needs an application here, or a reason:
 * the test of the profile compares both lists.
 */
export const CALIBRATION = {
  // Section 2
  modelStatuses: onlyLike((value) => itemsOf(value).every((one) => one === 'active'), 'the catalog says which occur'),
  creditsOfFailedRun: chosen('creditsOfFailedRun'),
  defaultsAgainstRules: onlyLike((value) => itemsOf(value).length === 0, 'the catalog has the defaults'),
  jobFields: (value) => ({ jobFields: textsOf(value) }),
  absentJobFields: chosen('absentJobFields'),
  requestIdHeader: chosen('requestIdHeader'),
  outputType: onlyLike((value) => value === 'image', 'the catalog says what a model makes'),
  fileAccess: onlyLike((value) => value === 'public', 'its files can be read without a key'),
  // Section 3
  statusSequence: onlyLike(isExpectedSequence, 'its jobs are queued, processing, and then end'),
  queuedMs: chosen('queuedMs'),
  cancelOfFinishedJob: cancelled('cancelOfFinishedJob'),
  secondCancel: cancelled('cancelOfCancelledJob'),
  // Section 4.1
  limitAboveMaximum: (value) =>
    value === 100 ? { rejections: { limitAboveMaximum: 'accepted' } } : rejected('limitAboveMaximum')(value, {}),
  defaultOffset: onlyLike((value) => value === 0, 'it starts with the first model'),
  badPages: invalidPages,
  unknownQueryParameter: acceptable('unknownQueryParameter'),
  unknownCategory: (value) => {
    if (value === 'empty' || value === 'all') return { unknownCategory: value }
    const applied = rejected('unknownCategory')(value, {})
    return typeof applied === 'string' ? applied : { unknownCategory: 'reject', ...applied }
  },
  searchCase: chosen('searchCase'),
  searchWords: chosen('searchWords'),
  searchWithoutMatch: onlyLike((value) => value === 'nothing', 'it does not know what comes close'),
  // Section 4.2
  plainSlashInPath: (value) => {
    if (value === 'served') return { plainSlashInPath: 'served' }
    const applied = rejected('unknownPath')(value, {})
    return typeof applied === 'string' ? applied : { plainSlashInPath: 'unknown', ...applied }
  },
  // Section 4.3
  asyncRunStatus: chosen('asyncRunStatus'),
  missingInput: rejected('invalidBody'),
  runFields: (value) => ({ runFields: textsOf(value) }),
  failedSyncRunStatus: chosen('failedSyncRunStatus'),
  failedSyncRunBody: chosen('failedSyncRunBody'),
  asyncRunWithWebhook: (value) => {
    const response = isRecord(value) ? value.response : undefined
    if (response === 'queued' || response === 'processing') return { asyncRunWithWebhook: response }
    return 'it takes both together'
  },
  unknownBodyMember: acceptable('unknownMember'),
  unknownInputParameter: acceptable('unknownParameter'),
  otherWebhookScheme: acceptable('webhookScheme'),
  plainHttpWebhook: acceptable('plainHttpWebhook'),
  malformedWebhookUrl: (value, { otherWebhookScheme }) =>
    JSON.stringify(value) === JSON.stringify(otherWebhookScheme) ? {} : 'it treats it like a scheme other than http',
  firstMistake: chosen('firstMistake'),
  // Sections 4.4 and 4.5
  unfinishedJobStatus: chosen('unfinishedJobStatus'),
  cancelFields: (value) => ({ cancelFields: textsOf(value) }),
  cancelStatus: chosen('cancelStatus'),
  // Section 5
  blockedAddress: rejected('ipOutsideAllowlist'),
  runNeedsJobsWrite: (value) => ({ runNeedsJobsWrite: value === true }),
  webhookNeedsManage: (value) => ({ webhookNeedsManage: value === true }),
  // Section 6
  deliveriesOfOneResult: chosen('deliveriesOfOneResult'),
  deliveryHeaders: onlyLike((value) => itemsOf(value).length === 0, 'it does not know what they hold'),
  cancelledJobWebhook: chosen('cancelledJobWebhook'),
  // Section 7
  missingParameter: acceptable('missingParameter'),
  invalidInput: acceptable('invalidInput'),
  unknownModel: rejected('unknownModel'),
  unknownModelRun: rejected('unknownModelRun'),
  unknownJob: rejected('unknownJob'),
  cancelOfUnknownJob: cancelled('cancelOfUnknownJob'),
  brokenJson: rejected('brokenJson'),
  otherContentType: acceptable('otherContentType'),
  insufficientCredits: rejected('insufficientCredits'),
  // Sections 8 and 9
  rateLimitHeaders: onlyLike((value) => itemsOf(value).length === 0, 'it has no rate limit; a fault makes one'),
  rateLimit: onlyLike((value) => value === 'none', 'it has no rate limit; a fault makes one'),
  withoutVersion: rejected('unknownPath'),
} as const satisfies Record<string, Application>

/** The observations as settings of the reference server, and those that are none, with why. */
export function profileOf(observations: Readonly<Record<string, JsonValue>>): {
  profile: ServiceProfile
  notApplied: NotApplied[]
} {
  const notApplied: NotApplied[] = []
  let profile: ServiceProfile = {}
  for (const [name, apply] of Object.entries(CALIBRATION)) {
    const observed = observations[name]
    if (observed === undefined) continue
    const applied = apply(observed, observations)
    if (typeof applied === 'string') notApplied.push({ name, observed, reason: applied })
    else profile = merged(profile, applied)
  }
  return { profile, notApplied }
}

function merged(one: ServiceProfile, other: ServiceProfile): ServiceProfile {
  const rejections = { ...one.rejections, ...other.rejections }
  return { ...one, ...other, ...(Object.keys(rejections).length === 0 ? {} : { rejections }) }
}

/** Sets a switch of the reference server, where it has this choice. */
function chosen(name: keyof AssumptionOptions): Application {
  return (observed) => {
    const { success, data } = assumptionsSchema.safeParse({ [name]: observed })
    if (success) return { [name]: data[name] }
    const note = ASSUMPTION_NOTES.find((one) => one.switch === name)
    return `its choices are: ${[note?.choice, ...(note?.alternatives ?? [])].join('; ')}`
  }
}

/** Needs no setting where the service does as the reference server always does. */
function onlyLike(isSame: (observed: JsonValue) => boolean, reason: string): Application {
  return (observed) => (isSame(observed) ? {} : reason)
}

/** Of requests that the reference server always rejects. */
function rejected(kind: RejectionKind): Application {
  return (observed) => {
    const { status, code } = rejectionIn(observed)
    if (status === undefined || status < 400) return 'it rejects such a request'
    return code === undefined ? 'an error without a code' : { rejections: { [kind]: { status, code } } }
  }
}

/** Of requests that may be accepted. */
function acceptable(kind: RejectionKind): Application {
  return (observed) => {
    const { status = 400 } = rejectionIn(observed)
    const isAccepted = observed === 'accepted' || status < 300
    return isAccepted ? { rejections: { [kind]: 'accepted' } } : rejected(kind)(observed, {})
  }
}

/** Of cancels that change nothing. */
function cancelled(kind: RejectionKind): Application {
  return (observed) => {
    const { status = 400 } = rejectionIn(observed)
    if (observed === 'changed') return 'a finished job stays as it is'
    if (status >= 300) return rejected(kind)(observed, {})
    const fields = itemsOf(isRecord(observed) ? observed.fields : undefined).map(String)
    return { rejections: { [kind]: { status, code: null, fields } } }
  }
}

function invalidPages(observed: JsonValue): ServiceProfile | string {
  const values = isRecord(observed) ? Object.values(observed) : []
  const [first] = values
  const isOne = values.every((value) => JSON.stringify(value) === JSON.stringify(first))
  if (first === undefined || !isOne) return 'it treats all of them in one way'
  return first === 'default'
    ? { rejections: { invalidPage: 'accepted' } }
    : rejected('invalidPage')(first as JsonValue, {})
}

function rejectionIn(observed: JsonValue): { status: number | undefined; code: string | undefined } {
  const { status, code } = isRecord(observed) ? observed : {}
  return { status: isStatus(status) ? status : undefined, code: typeof code === 'string' ? code : undefined }
}

function isStatus(value: unknown): value is number {
  return typeof value === 'number' && value >= 200 && value < 600
}

function textsOf(value: JsonValue): string[] {
  return itemsOf(value).filter((item) => typeof item === 'string')
}

function isExpectedSequence(value: JsonValue): boolean {
  return ['queued,processing,succeeded', 'processing,succeeded', 'succeeded', 'queued,succeeded'].includes(
    String(value),
  )
}
