import { describeMutants } from './describe-mutants.ts'
import { INPUT_MUTANTS } from './input-mutants.ts'

describeMutants(INPUT_MUTANTS)
