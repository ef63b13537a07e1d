import { describeMutants } from './describe-mutants.ts'
import { POST_MUTANTS } from './post-mutants.ts'

describeMutants(POST_MUTANTS)
