import { show } from '../json.ts'
import type { NotApplied } from '../profile.ts'

/** What was observed and that the reference server does not do, in one line. */
export function notAppliedLine({ name, observed, reason }: NotApplied): string {
  return `${name}: ${show(observed)}; of the reference server: ${reason}`
}
