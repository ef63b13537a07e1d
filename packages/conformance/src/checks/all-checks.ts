import type { Check } from '../check.ts'
import { ALL_RESPONSES_CHECKS } from './all-responses.ts'
import { AUTH_CHECKS } from './auth.ts'
import { CANCEL_CHECKS, LATE_CANCEL_CHECKS } from './cancel.ts'
import { CHARGES_CHECKS } from './charges.ts'
import { DELIVERIES_CHECKS, LATE_DELIVERIES_CHECKS } from './deliveries.ts'
import { DETAILS_CHECKS } from './details.ts'
import { ERRORS_CHECKS } from './errors.ts'
import { FILES_CHECKS } from './files.ts'
import { FILTERS_CHECKS } from './filters.ts'
import { INPUTS_CHECKS } from './inputs.ts'
import { JOBS_CHECKS } from './jobs.ts'
import { LIMITS_CHECKS, RATE_CHECKS } from './limits.ts'
import { MODELS_CHECKS } from './models.ts'
import { PERMISSIONS_CHECKS } from './permissions.ts'
import { RUNS_CHECKS } from './runs.ts'
import { SCHEMAS_CHECKS } from './schemas.ts'
import { WEBHOOKS_CHECKS } from './webhooks.ts'

/** Every check in order: free checks first, checks over all recorded responses last. */
export const ALL_CHECKS: readonly Check[] = [
  ...AUTH_CHECKS,
  ...MODELS_CHECKS,
  ...FILTERS_CHECKS,
  ...DETAILS_CHECKS,
  ...SCHEMAS_CHECKS,
  ...LIMITS_CHECKS,
  ...RUNS_CHECKS,
  ...JOBS_CHECKS,
  ...FILES_CHECKS,
  ...INPUTS_CHECKS,
  ...ERRORS_CHECKS,
  ...CANCEL_CHECKS,
  ...CHARGES_CHECKS,
  ...PERMISSIONS_CHECKS,
  ...WEBHOOKS_CHECKS,
  ...RATE_CHECKS,
  ...DELIVERIES_CHECKS,
  ...LATE_CANCEL_CHECKS,
  ...ALL_RESPONSES_CHECKS,
  ...LATE_DELIVERIES_CHECKS,
]

/** Names of the areas; each check's id starts with its area. */
export const AREAS: readonly string[] = [...new Set(ALL_CHECKS.map(({ id }) => id.split('/')[0] ?? id))]
