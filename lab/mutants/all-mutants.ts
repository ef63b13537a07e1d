import { CHARGE_MUTANTS } from './charge-mutants.ts'
import { DELIVERY_MUTANTS } from './delivery-mutants.ts'
import { ERROR_MUTANTS } from './error-mutants.ts'
import { INPUT_MUTANTS } from './input-mutants.ts'
import { JOB_MUTANTS } from './job-mutants.ts'
import { KEY_MUTANTS } from './key-mutants.ts'
import { LIST_MUTANTS } from './list-mutants.ts'
import { MODEL_MUTANTS } from './model-mutants.ts'
import { RUN_MUTANTS } from './run-mutants.ts'

const AREAS = [
  ...[LIST_MUTANTS, MODEL_MUTANTS, KEY_MUTANTS, INPUT_MUTANTS, RUN_MUTANTS],
  ...[JOB_MUTANTS, CHARGE_MUTANTS, DELIVERY_MUTANTS, ERROR_MUTANTS],
]

/** Every service that breaks one rule. */
export const ALL_MUTANTS = AREAS.flatMap((area) =>
  Object.entries(area).flatMap(([check, mutations]) =>
    Object.entries(mutations).map(([breaks, mutation]) => ({ check, breaks, mutation })),
  ),
)
