import { AUTH_MUTANTS } from './auth-mutants.ts'
import { describeMutants } from './describe-mutants.ts'

describeMutants(AUTH_MUTANTS)
