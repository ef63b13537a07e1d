import { AUTH_MUTANTS } from './auth-mutants.ts'
import { BODY_MUTANTS } from './body-mutants.ts'
import { CHARGE_MUTANTS } from './charge-mutants.ts'
import { DELIVERY_MUTANTS } from './delivery-mutants.ts'
import { DETAILS_MUTANTS } from './details-mutants.ts'
import { ENDING_MUTANTS } from './ending-mutants.ts'
import { ERROR_MUTANTS } from './error-mutants.ts'
import { FILTER_MUTANTS } from './filter-mutants.ts'
import { INPUT_MUTANTS } from './input-mutants.ts'
import { JOB_MUTANTS } from './job-mutants.ts'
import { KEY_MUTANTS } from './key-mutants.ts'
import { LIST_MUTANTS } from './list-mutants.ts'
import { MODEL_MUTANTS } from './model-mutants.ts'
import type { Mutant } from './mutation.ts'
import { PAGE_MUTANTS } from './page-mutants.ts'
import { POLL_MUTANTS } from './poll-mutants.ts'
import { POST_MUTANTS } from './post-mutants.ts'
import { RULE_MUTANTS } from './rule-mutants.ts'
import { RUN_MUTANTS } from './run-mutants.ts'
import { SENDING_MUTANTS } from './sending-mutants.ts'

/** Every service that breaks one rule. */
export const ALL_MUTANTS: readonly Mutant[] = [
  ...LIST_MUTANTS,
  ...FILTER_MUTANTS,
  ...PAGE_MUTANTS,
  ...MODEL_MUTANTS,
  ...DETAILS_MUTANTS,
  ...AUTH_MUTANTS,
  ...KEY_MUTANTS,
  ...INPUT_MUTANTS,
  ...RUN_MUTANTS,
  ...BODY_MUTANTS,
  ...JOB_MUTANTS,
  ...POLL_MUTANTS,
  ...ENDING_MUTANTS,
  ...CHARGE_MUTANTS,
  ...DELIVERY_MUTANTS,
  ...POST_MUTANTS,
  ...SENDING_MUTANTS,
  ...ERROR_MUTANTS,
  ...RULE_MUTANTS,
]
