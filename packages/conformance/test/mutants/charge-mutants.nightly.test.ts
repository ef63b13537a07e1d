import { CHARGE_MUTANTS } from './charge-mutants.ts'
import { describeMutants } from './describe-mutants.ts'

describeMutants(CHARGE_MUTANTS)
