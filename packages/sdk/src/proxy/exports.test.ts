import * as proxy from 'modelrun/proxy'
import { expect, test } from 'vitest'

test('modelrun/proxy exports these names', () => {
  expect(Object.keys(proxy).toSorted()).toEqual(['createMemoryBudgetStore', 'createProxy'])
})
