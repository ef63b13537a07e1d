import { expect, it, vi } from 'vitest'
import { SharedTicker } from './real-time.ts'

it('computes each value once, however many listen, and none without listeners', async () => {
  let computed = 0
  const ticker = new SharedTicker(1, () => ++computed)
  const heard: number[][] = Array.from({ length: 1_000 }, () => [])
  const listeners = heard.map((values) => (value: number) => void values.push(value))
  for (const listener of listeners) ticker.add(listener)
  await vi.waitFor(() => expect(heard[0]?.length).toBeGreaterThan(5), { timeout: 100_000 })
  for (const listener of listeners) ticker.remove(listener)
  const whenRemoved = computed
  // The first value of each is that of its own start.
  for (const values of heard) expect(values.slice(1)).toEqual(heard[0]?.slice(1))
  expect(computed).toBe(1_000 + (heard[0]?.length ?? 0) - 1)

  const other = new SharedTicker(1, () => {})
  await new Promise<void>((resolve) => {
    let ticks = 0
    other.add(function listener() {
      if (++ticks < 5) return
      other.remove(listener)
      resolve()
    })
  })
  expect(computed).toBe(whenRemoved)
})
