import { describeMutants } from './describe-mutants.ts'
import { RUN_MUTANTS } from './run-mutants.ts'

describeMutants(RUN_MUTANTS)
