import { describe, expect, it } from 'vitest'
import { Activity } from './activity.ts'
import { createClock } from './create-clock.ts'

describe('create clock', () => {
  it.each(['manual', 'auto'] as const)('starts %s time at the same moment in each run', (setting) => {
    const clock = createClock(setting, { activity: new Activity() })
    expect(clock.mode).toBe(setting)
    expect(new Date(clock.now()).toISOString()).toBe('2026-01-01T00:00:00.000Z')
  })

  it.each(['manual', 'auto', 'system', { scale: 2 }] as const)('starts %j at a time that was given', (setting) => {
    const start = Date.UTC(2040, 0, 1)
    expect(createClock(setting, { activity: new Activity(), startTime: start }).now() - start).toBeLessThan(1_000)
  })

  it('runs system time from now', () => {
    const clock = createClock('system', { activity: new Activity() })
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000)
  })
})
