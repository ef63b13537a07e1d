import { describe, expect, it } from 'vitest'
import { Fifo } from './fair-buffer.ts'

describe('fifo', () => {
  it('gives its items back in the order in which they came', () => {
    const fifo = new Fifo<number>()
    for (const item of [1, 2, 3]) fifo.push(item)
    expect([fifo.shift(), fifo.size, fifo.toArray()]).toEqual([1, 2, [2, 3]])
    fifo.push(4)
    expect([fifo.shift(), fifo.shift(), fifo.shift(), fifo.shift(), fifo.size]).toEqual([2, 3, 4, undefined, 0])
    fifo.push(5)
    expect(fifo.toArray()).toEqual([5])
  })

  it('keeps the order over any number of items', () => {
    const fifo = new Fifo<number>()
    let next = 0
    for (let item = 0; item < 50_000; item++) {
      fifo.push(item)
      if (item % 3 !== 0) expect(fifo.shift()).toBe(next++)
    }
    expect(fifo.size).toBe(50_000 - next)
    expect(fifo.toArray()[0]).toBe(next)
  })
})
