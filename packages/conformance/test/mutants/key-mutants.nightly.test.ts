import { describeMutants } from './describe-mutants.ts'
import { KEY_MUTANTS } from './key-mutants.ts'

describeMutants(KEY_MUTANTS)
