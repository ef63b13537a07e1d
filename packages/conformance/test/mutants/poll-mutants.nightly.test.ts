import { describeMutants } from './describe-mutants.ts'
import { POLL_MUTANTS } from './poll-mutants.ts'

describeMutants(POLL_MUTANTS)
