import type { Check } from '../check.ts'
import { BOOK_JUDGES, CHARGES_CHECKS } from '../judges/book-judges.ts'
import { DELIVERY_JUDGES } from '../judges/delivery-judges.ts'
import { JOB_JUDGES } from '../judges/job-judges.ts'
import { KEY_JUDGES } from '../judges/key-judges.ts'
import { LIST_JUDGES } from '../judges/list-judges.ts'
import { MODEL_JUDGES } from '../judges/model-judges.ts'
import { RUN_JUDGES } from '../judges/run-judges.ts'
import { TIME_JUDGES } from '../judges/time-judges.ts'
import { AUTH_CHECKS } from './auth.ts'
import { CANCEL_CHECKS } from './cancel.ts'
import { DETAILS_CHECKS } from './details.ts'
import { FILES_CHECKS } from './files.ts'
import { INPUTS_CHECKS } from './inputs.ts'
import { JOBS_CHECKS } from './jobs.ts'
import { LIMITS_CHECKS, RATE_CHECKS } from './limits.ts'
import { MODELS_CHECKS } from './models.ts'
import { PERMISSIONS_CHECKS } from './permissions.ts'
import { RUNS_CHECKS } from './runs.ts'
import { WEBHOOKS_CHECKS } from './webhooks.ts'

/** Every check in order: free checks first, judges of everything that was sent and received last. */
export const ALL_CHECKS: readonly Check[] = [
  ...AUTH_CHECKS,
  ...MODELS_CHECKS,
  ...DETAILS_CHECKS,
  ...LIMITS_CHECKS,
  ...CHARGES_CHECKS,
  ...RUNS_CHECKS,
  ...JOBS_CHECKS,
  ...FILES_CHECKS,
  ...CANCEL_CHECKS,
  ...WEBHOOKS_CHECKS,
  ...INPUTS_CHECKS,
  ...PERMISSIONS_CHECKS,
  ...RATE_CHECKS,
  ...KEY_JUDGES,
  ...LIST_JUDGES,
  ...MODEL_JUDGES,
  ...RUN_JUDGES,
  ...JOB_JUDGES,
  ...DELIVERY_JUDGES,
  ...TIME_JUDGES,
  ...BOOK_JUDGES,
]

/** Names of the areas; each check's id starts with its area. */
export const AREAS: readonly string[] = [...new Set(ALL_CHECKS.map(({ id }) => id.split('/')[0] ?? id))]
