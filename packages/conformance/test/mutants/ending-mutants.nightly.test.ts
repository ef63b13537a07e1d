import { describeMutants } from './describe-mutants.ts'
import { ENDING_MUTANTS } from './ending-mutants.ts'

describeMutants(ENDING_MUTANTS)
