import { describeMutants } from './describe-mutants.ts'
import { SENDING_MUTANTS } from './sending-mutants.ts'

describeMutants(SENDING_MUTANTS)
