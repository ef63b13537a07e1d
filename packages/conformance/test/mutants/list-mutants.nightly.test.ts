import { describeMutants } from './describe-mutants.ts'
import { LIST_MUTANTS } from './list-mutants.ts'

describeMutants(LIST_MUTANTS)
