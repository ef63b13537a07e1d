import { describe, expect, it } from 'vitest'
import { FairBuffer } from './fair-buffer.ts'

describe('fair buffer', () => {
  it('gives up the oldest beyond its limit, and says which', () => {
    const evicted: number[] = []
    const buffer = new FairBuffer<string, number>({ limit: 3, onEvict: (item) => evicted.push(item) })
    for (const item of [1, 2, 3, 4, 5]) buffer.add('a', item)
    expect([buffer.of('a'), evicted]).toEqual([
      [3, 4, 5],
      [1, 2],
    ])
  })

  it('takes from the owner that holds the most', () => {
    const buffer = new FairBuffer<string, number>({ limit: 100 })
    buffer.add('quiet', 1)
    for (let item = 0; item < 10_000; item++) buffer.add('busy', item)
    expect(buffer.of('quiet')).toEqual([1])
    expect(buffer.of('busy').at(-1)).toBe(9_999)
    for (let item = 0; item < 10_000; item++) buffer.add('busy too', item)
    expect(buffer.of('quiet')).toEqual([1])
    expect(Math.abs(buffer.of('busy').length - buffer.of('busy too').length)).toBeLessThanOrEqual(2)
  })

  it('weighs items, and lets go of one that is too heavy alone', () => {
    const buffer = new FairBuffer<string, string>({ limit: 10, weigh: ({ length }) => length })
    buffer.add('a', 'xxxx')
    buffer.add('a', 'yyyy')
    buffer.add('a', 'zzz')
    expect(buffer.of()).toEqual(['yyyy', 'zzz'])
    buffer.add('b', 'much too heavy')
    expect(buffer.of()).toEqual(['yyyy', 'zzz'])
  })

  it('forgets one owner or all', () => {
    const buffer = new FairBuffer<string, number>({ limit: 10 })
    for (const owner of ['a', 'b', 'c']) buffer.add(owner, 1)
    buffer.forget('b')
    buffer.forget('unknown')
    expect([buffer.of('b'), buffer.of()]).toEqual([[], [1, 1]])
    buffer.forget()
    expect(buffer.of()).toEqual([])
  })
})
