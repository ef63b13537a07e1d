import { describeMutants } from './describe-mutants.ts'
import { MODEL_MUTANTS } from './model-mutants.ts'

describeMutants(MODEL_MUTANTS)
