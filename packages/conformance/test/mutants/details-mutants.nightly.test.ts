import { describeMutants } from './describe-mutants.ts'
import { DETAILS_MUTANTS } from './details-mutants.ts'

describeMutants(DETAILS_MUTANTS)
