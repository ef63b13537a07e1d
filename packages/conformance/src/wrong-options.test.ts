import { testDoors } from '../../kit/test/option-doors.ts'
import { runConformance } from './run-conformance.ts'

const needed = { baseUrl: 'http://localhost:1', apiKey: 'sk_test_1' }

testDoors({
  runConformance: (options) => runConformance({ ...needed, ...options }),
  limits: (limits) => runConformance({ ...needed, limits }),
})
