import { describeMutants } from './describe-mutants.ts'
import { FILTER_MUTANTS } from './filter-mutants.ts'

describeMutants(FILTER_MUTANTS)
