import { describeMutants } from './describe-mutants.ts'
import { ERROR_MUTANTS } from './error-mutants.ts'

describeMutants(ERROR_MUTANTS)
