import type { Check } from '../check.ts'
import { CHARGE_JUDGES } from './charges.ts'
import { DELIVERY_JUDGES } from './delivery-judges.ts'
import { INPUT_JUDGES } from './input-judges.ts'
import { JOB_JUDGES } from './job-judges.ts'
import { KEY_JUDGES } from './key-judges.ts'
import { LIST_JUDGES } from './list-judges.ts'
import { MODEL_JUDGES } from './model-judges.ts'
import { RUN_JUDGES } from './run-judges.ts'
import { SETTINGS } from './settings.ts'

export const ALL_CHECKS: readonly Check[] = [
  ...KEY_JUDGES,
  ...LIST_JUDGES,
  ...MODEL_JUDGES,
  ...RUN_JUDGES,
  ...INPUT_JUDGES,
  ...JOB_JUDGES,
  ...DELIVERY_JUDGES,
  ...CHARGE_JUDGES,
  ...SETTINGS,
]

export const AREAS: readonly string[] = [...new Set(ALL_CHECKS.map(areaOf))]

export function areaOf({ id }: Pick<Check, 'id'>): string {
  return id.split('/', 1)[0] ?? id
}
