import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHeap, type HeapItem, NewestMap } from './collections.ts'

const item = (at: number, order: number): HeapItem => ({ at, order, slot: -1 })

test('gives its items by time, and those of one time in their order, whatever was added, moved or removed before', () => {
  const step = fc.record({ at: fc.nat({ max: 20 }), kind: fc.constantFrom('put', 'remove', 'move'), pick: fc.nat() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const heap = createHeap<HeapItem>()
      const kept: HeapItem[] = []
      for (const { at, kind, pick } of steps) {
        const known = kept[pick % Math.max(1, kept.length)]
        if (kind === 'put' || !known) {
          const added = item(at, steps.length + kept.length + pick)
          kept.push(added)
          heap.put(added)
        } else if (kind === 'move') {
          known.at = at
          heap.put(known)
        } else {
          heap.remove(known)
          kept.splice(kept.indexOf(known), 1)
        }
      }
      const taken: HeapItem[] = []
      for (let next = heap.first(); next; next = heap.first()) {
        taken.push(next)
        heap.remove(next)
      }
      expect(taken).toEqual(kept.toSorted((a, b) => a.at - b.at || a.order - b.order))
      expect(taken.every(({ slot }) => slot === -1)).toBe(true)
    }),
  )
})

test('ignores the removal of an item that it does not hold', () => {
  const heap = createHeap<HeapItem>()
  heap.put(item(1, 1))
  heap.remove(item(1, 1))
  expect(heap.first()).toMatchObject({ at: 1 })
})

test('holds the newest entries, and one that is set again is the newest', () => {
  const map = new NewestMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})
