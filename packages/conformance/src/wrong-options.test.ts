import { expect, it } from 'vitest'
import { testDoors } from '../../kit/test/option-doors.ts'
import type { ConformanceOptions } from './options.ts'
import { runConformance } from './run-conformance.ts'

const needed = { baseUrl: 'http://localhost:1', apiKey: 'sk_test_1' }

testDoors({
  runConformance: (options) => runConformance({ ...needed, ...options }),
  limits: (limits) => runConformance({ ...needed, limits }),
  keys: (keys) => runConformance({ ...needed, keys }),
  models: (models) => runConformance({ ...needed, models }),
  'models.slow': (slow) => runConformance({ ...needed, models: { slow: { model: 'video', ...slow } } }),
})

it('a model is an object with an id, and a key is not shown', async () => {
  const options = { ...needed, models: { slow: 'video' }, keys: {} }
  // As JavaScript can.
  await expect(runConformance(options as unknown as ConformanceOptions)).rejects.toThrow(
    '`slow` of `models` must be an object, like { model: \'an-id\' }, not "video".',
  )
  await expect(runConformance({ ...needed, keys: { revoked: 'sk_test_secret key' } })).rejects.toThrow(
    '`revoked` of `keys` must be an API key, without white space.',
  )
})
