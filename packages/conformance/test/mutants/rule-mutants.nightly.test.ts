import { describeMutants } from './describe-mutants.ts'
import { RULE_MUTANTS } from './rule-mutants.ts'

describeMutants(RULE_MUTANTS)
