import { describe, expect, it } from 'vitest'
import { createRandom } from './random.ts'

describe('random', () => {
  it('repeats itself for the same seed', () => {
    const draw = (seed: number) => {
      const random = createRandom(seed)
      return [random.id('job_'), random.fileSeed(), random.id('req_')]
    }
    expect(draw(7)).toEqual(draw(7))
    expect(draw(7)).not.toEqual(draw(8))
  })

  it('continues from where another stood', () => {
    const random = createRandom(7)
    random.id('job_')
    const other = createRandom(8)
    other.restore(JSON.parse(JSON.stringify(random.state())))
    expect([other.id('job_'), other.fileSeed()]).toEqual([random.id('job_'), random.fileSeed()])
  })

  it('makes ids of a prefix, lower-case letters and digits, none twice', () => {
    const random = createRandom(1)
    const ids = Array.from({ length: 1_000 }, () => random.id('job_'))
    expect(new Set(ids).size).toBe(1_000)
    for (const id of ids) expect(id).toMatch(/^job_[0-9a-z]{24}$/)
    expect(random.id('sk_test_', 32)).toMatch(/^sk_test_[0-9a-z]{32}$/)
  })
})
