import { DELIVERY_MUTANTS } from './delivery-mutants.ts'
import { describeMutants } from './describe-mutants.ts'

describeMutants(DELIVERY_MUTANTS)
