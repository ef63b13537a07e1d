import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TimerQueue } from './virtual-timers.ts'

function drain<Value>(queue: TimerQueue<Value>): Value[] {
  const values: Value[] = []
  for (let entry = queue.takeDue(Infinity); entry !== undefined; entry = queue.takeDue(Infinity))
    values.push(entry.value)
  return values
}

describe('timer queue', () => {
  it('gives entries in the order of due time, then of creation, whatever was added and removed', () => {
    const timers = fc.array(fc.record({ dueAt: fc.integer({ min: 0, max: 9 }), isRemoved: fc.boolean() }))
    fc.assert(
      fc.property(timers, (list) => {
        const queue = new TimerQueue<number>()
        const handles = list.map(({ dueAt }, index) => queue.add(dueAt, index))
        list.forEach(({ isRemoved }, index) => {
          if (isRemoved) expect(queue.remove(handles[index])).toBe(true)
        })
        // The expected order, found in another way: a stable sort keeps the order of creation.
        const expected = list
          .map(({ dueAt, isRemoved }, index) => ({ dueAt, isRemoved, index }))
          .filter(({ isRemoved }) => !isRemoved)
          .toSorted((one, other) => one.dueAt - other.dueAt)
          .map(({ index }) => index)
        expect(queue.size).toBe(expected.length)
        expect(drain(queue)).toEqual(expected)
      }),
    )
  })

  it('leaves what is not due, and ignores handles that are unknown, removed or cleared', () => {
    const queue = new TimerQueue<string>()
    const handle = queue.add(10, 'later')
    expect(queue.takeDue(9)).toBeUndefined()
    expect(['no handle', handle, handle].map((one) => queue.remove(one))).toEqual([false, true, false])
    const cleared = queue.add(1, 'gone')
    queue.clear()
    expect([queue.size, queue.remove(cleared), drain(queue)]).toEqual([0, false, []])
  })
})
