import type { AssumptionOptions } from '@modelrun/reference-server'
import { expectTypeOf, test } from 'vitest'
import type { ServiceProfile } from './profile.ts'

test('a profile is taken by the reference server as it is', () => {
  expectTypeOf<ServiceProfile>().toExtend<AssumptionOptions>()
})
