import { expect, it } from 'vitest'
import { NewestMap } from './newest-map.ts'

it('holds the newest entries, and one that is set again is the newest', () => {
  const map = new NewestMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})
