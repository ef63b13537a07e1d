import { ADD_CHECKS } from './add-checks.ts'
import { END_CHECKS } from './end-checks.ts'
import { WORK_CHECKS } from './work-checks.ts'

/** The promises of every engine, also of the one in memory. */
export const TASK_CHECKS = { ...ADD_CHECKS, ...END_CHECKS, ...WORK_CHECKS }
