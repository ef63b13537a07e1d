import { expect, test } from 'vitest'
import { API_VERSION, SERVICE_VERSION } from './version.ts'

test('distinguishes the path version from the displayed label (section 9)', () => {
  expect({ API_VERSION, SERVICE_VERSION }).toEqual({ API_VERSION: 'v1', SERVICE_VERSION: 'v1.2.0' })
})
