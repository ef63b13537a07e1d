import { testChaosOn } from './chaos-tests.ts'

testChaosOn('sqlite')
