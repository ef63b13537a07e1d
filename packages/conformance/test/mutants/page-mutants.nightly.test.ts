import { describeMutants } from './describe-mutants.ts'
import { PAGE_MUTANTS } from './page-mutants.ts'

describeMutants(PAGE_MUTANTS)
