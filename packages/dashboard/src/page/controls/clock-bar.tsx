import { canStep, clock, isPaused, now, resumeScale, setClock } from '../data/clock.ts'
import { post } from '../data/control.ts'
import { connection } from '../data/store.ts'
import type { ClockState } from '../data/wire.ts'
import { formatDay, formatTime } from '../text/format.ts'
import { Icon } from '../ui/icon.tsx'
import { attempt } from '../ui/toast.tsx'

/** Moves time on. */
export function step(ms: number): Promise<void> {
  return attempt(async () => {
    const { now_ms } = await post<{ now_ms: number }>('clock', { advance_ms: ms })
    setClock({ ...clock.value, now_ms })
  })
}

/** Changes the speed of time. 0 pauses. */
export function setScale(scale: number): Promise<void> {
  return attempt(async () => {
    setClock(await post<ClockState>('clock/scale', { scale }))
  })
}

const LABELS = { connecting: 'connecting', live: 'live', lost: 'connection lost' } as const

/** The server's time, on every screen. */
export function ClockBar() {
  const { scale } = clock.value
  return (
    <div class="clockbar">
      <span class={`dot ${connection.value}`} role="status">
        <span class="hidden">{LABELS[connection.value]}</span>
      </span>
      <time dateTime={new Date(now.value).toISOString()} title={`${formatDay(now.value)}, UTC, time of the server`}>
        {formatTime(now.value)}
      </time>
      <span class="muted mode">{modeText()}</span>
      {scale !== undefined && (
        <button
          type="button"
          class="button small"
          aria-pressed={isPaused.value}
          onClick={() => setScale(isPaused.value ? resumeScale.value : 0)}
        >
          <Icon name={isPaused.value ? 'play' : 'pause'} />
          <span class="label">{isPaused.value ? 'Resume' : 'Pause'}</span>
        </button>
      )}
      {canStep.value && (
        <button type="button" class="button small" onClick={() => step(1_000)}>
          <Icon name="step" />
          <span class="label">Step 1 s</span>
        </button>
      )}
    </div>
  )
}

export function modeText(): string {
  const { mode, scale } = clock.value
  if (scale === undefined) return mode === 'manual' ? 'is paused' : 'skips every wait'
  if (scale === 0) return 'paused'
  return scale === 1 ? 'real time' : `${scale} × as fast`
}
