import type { Scenario } from '../check.ts'
import { endsOfJobs } from './ends.ts'
import { keysAtJobs, keysAtReads, revokedKey } from './keys.ts'
import { details, keyInQuery, lists, pages, unknownModel } from './reads.ts'
import { FIRST, otherRuns, unknownModelRun, wrongRuns } from './runs.ts'
import { cancelOfFinishedJob, unknownJob } from './settings.ts'

export const ALL_SCENARIOS: readonly Scenario[] = [
  ...[pages, lists, details, unknownModel, keyInQuery],
  ...Object.values(FIRST),
  ...[unknownJob, cancelOfFinishedJob, wrongRuns, unknownModelRun],
  ...[keysAtReads, revokedKey, keysAtJobs],
  ...[otherRuns, endsOfJobs],
]
