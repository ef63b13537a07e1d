import { computed, signal } from '@preact/signals'
import type { Changes, ClockState } from './wire.ts'

/** The clock as the server last showed it, and when that was on this machine. */
export const clock = signal<ClockState & { seenAt: number }>({ mode: 'system', now_ms: 0, scale: 1, seenAt: 0 })

export const isPaused = computed(() => clock.value.scale === 0)

/** Whether time can be moved on by hand. */
export const canStep = computed(() => clock.value.scale === undefined || isPaused.value)

/** The server's time, a few times a second; read it where a time is shown. */
export const now = signal(0)

export function setClock(state: ClockState): void {
  clock.value = { ...state, seenAt: performance.now() }
  now.value = timeNow()
}

export function clockOf({ now_ms, clock }: Changes): ClockState {
  return { ...clock, now_ms }
}

/** The server's time as far as it is known here. */
export function timeNow(): number {
  const { now_ms, scale = 0, seenAt } = clock.value
  return now_ms + (performance.now() - seenAt) * scale
}

/** Lets `now` go on. */
export function startClock(): void {
  setInterval(() => {
    if (!document.hidden && clock.value.scale) now.value = timeNow()
  }, 250)
}
