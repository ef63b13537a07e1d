import { BODY_MUTANTS } from './body-mutants.ts'
import { describeMutants } from './describe-mutants.ts'

describeMutants(BODY_MUTANTS)
