import { describeMutants } from './describe-mutants.ts'
import { JOB_MUTANTS } from './job-mutants.ts'

describeMutants(JOB_MUTANTS)
