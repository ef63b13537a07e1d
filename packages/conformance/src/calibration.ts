import { ASSUMPTION_NOTES, assumptionsSchema, DEFAULT_ASSUMPTIONS } from '@modelrun/contract/assumptions'
import { isRecord, type JsonValue } from './json.ts'
import type { NotApplied, ServiceProfile } from './profile.ts'

/** The observations as settings of the reference server, and those that are none, with why. */
export function profileOf(observations: Readonly<Record<string, JsonValue>>): {
  profile: ServiceProfile
  notApplied: NotApplied[]
} {
  const notApplied: NotApplied[] = []
  let profile: ServiceProfile = {}
  for (const [name, observed] of Object.entries(observations)) {
    if (!Object.hasOwn(DEFAULT_ASSUMPTIONS, name)) continue
    const settings = { [name]: settingIn(observed) }
    const note = ASSUMPTION_NOTES.find(({ setting }) => setting === name)
    // The schema says so.
    if (assumptionsSchema.safeParse(settings).success) profile = { ...profile, ...(settings as ServiceProfile) }
    else notApplied.push({ name, observed, reason: `its choices are: ${note?.values}` })
  }
  return { profile, notApplied }
}

/** A status of success is an acceptance; an error is its status and code. */
function settingIn(observed: JsonValue): JsonValue {
  if (!isRecord(observed) || !('status' in observed)) return observed
  const { status, code = null } = observed
  return Number(status) < 300 ? 'accepted' : { status, code }
}
