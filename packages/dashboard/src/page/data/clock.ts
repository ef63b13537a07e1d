import { computed, signal } from '@preact/signals'
import type { ClockState, JobRow } from './wire.ts'

/** The clock as the server last showed it, and when that was on this machine; `undefined` while the server is gone. */
export const clock = signal<ClockState & { seenAt: number | undefined }>({
  mode: 'system',
  now_ms: 0,
  scale: 1,
  seenAt: undefined,
})

/** Whether time can be moved on by hand. */
export const canStep = computed(() => clock.value.scale === undefined)

/** The server's time, a few times a second; read it where a time is shown. */
export const now = signal(0)

export function setClock(state: ClockState): void {
  clock.value = { ...state, seenAt: performance.now() }
  now.value = timeNow()
}

/** Nothing is known of the time of a server that is gone. */
export function stopClock(): void {
  clock.value = { ...clock.value, now_ms: timeNow(), seenAt: undefined }
  now.value = timeNow()
}

/** The server's time as far as it is known here. */
function timeNow(): number {
  const { now_ms, scale = 0, seenAt } = clock.value
  return seenAt === undefined ? now_ms : now_ms + (performance.now() - seenAt) * scale
}

/** When time alone next changes a job; `undefined` when it will not. */
export function nextChange({ ended_at_ms, processing_at_ms, ends_at_ms }: JobRow): number | undefined {
  if (ended_at_ms !== undefined) return undefined
  return now.value < processing_at_ms ? processing_at_ms : ends_at_ms
}

/** Lets `now` continue. */
export function startClock(): void {
  setInterval(() => {
    if (!document.hidden && clock.value.scale) now.value = timeNow()
  }, 250)
}
