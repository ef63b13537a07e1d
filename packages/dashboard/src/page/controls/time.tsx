import { canStep, clock, isPaused, nextChange, now, resumeScale, setClock } from '../data/clock.ts'
import { post } from '../data/control.ts'
import { connection, jobs, version } from '../data/store.ts'
import type { ClockState } from '../data/wire.ts'
import { formatDay, formatDuration, formatTime } from '../text/format.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/parts.tsx'
import { attempt } from '../ui/toast.tsx'

async function step(ms: number): Promise<void> {
  const { now_ms } = await post<{ now_ms: number }>('clock', { advance_ms: ms })
  setClock({ ...clock.value, now_ms })
}

/** Changes the speed of time. 0 pauses. */
export async function setScale(scale: number): Promise<void> {
  setClock(await post<ClockState>('clock/scale', { scale }))
}

function modeText(): string {
  const { mode, scale } = clock.value
  if (scale === undefined) return mode === 'manual' ? 'is paused' : 'skips every wait'
  if (scale === 0) return 'paused'
  return scale === 1 ? 'real time' : `${scale} × as fast`
}

/** The server's time, on every screen. */
export function ClockBar() {
  return (
    <div class="clockbar">
      <span class={`dot ${connection.value}`} role="status">
        <span class="hidden">{connection.value === 'lost' ? 'connection lost' : connection.value}</span>
      </span>
      <time dateTime={new Date(now.value).toISOString()} title={`${formatDay(now.value)}, UTC, time of the server`}>
        {formatTime(now.value)}
      </time>
      <span class="muted mode">{modeText()}</span>
      {clock.value.scale !== undefined && (
        <Button
          kind="small"
          icon={isPaused.value ? 'play' : 'pause'}
          aria-pressed={isPaused.value}
          disabled={connection.value === 'lost'}
          act={() => setScale(isPaused.value ? resumeScale.value : 0)}
        >
          <span class="label">{isPaused.value ? 'Resume' : 'Pause'}</span>
        </Button>
      )}
      {canStep.value && (
        <Button kind="small" icon="step" act={() => step(1_000)}>
          <span class="label">Step 1 s</span>
        </Button>
      )}
    </div>
  )
}

const STEPS_MS = [100, 1_000, 10_000, 60_000]

/** The slider goes from 1 to 1,000 times as fast, evenly in powers of ten. */
const LARGEST_POWER = 3

export function TimeCard() {
  const { scale } = clock.value
  return (
    <Card title="Time">
      <p class="bigtime">
        {formatTime(now.value)} <span class="muted small">{formatDay(now.value)}, UTC</span>
      </p>
      <p class="muted">{modeText()}</p>
      {scale !== undefined && (
        <label class="slider">
          <span>Speed</span>
          <input
            type="range"
            min={0}
            max={LARGEST_POWER}
            step={0.1}
            value={Math.log10(Math.max(1, scale || resumeScale.value))}
            aria-valuetext={`${scale} times as fast as real time`}
            onChange={({ currentTarget }) =>
              attempt(() => setScale(Number((10 ** Number(currentTarget.value)).toPrecision(2))))
            }
          />
          <output>{scale === 0 ? 'paused' : `${scale} ×`}</output>
        </label>
      )}
      <div class="buttons" role="group" aria-label="Move time on">
        {STEPS_MS.map((ms) => (
          <Button key={ms} disabled={!canStep.value} act={() => step(ms)}>
            +{formatDuration(ms)}
          </Button>
        ))}
        <NextButton />
      </div>
      {!canStep.value && <p class="muted small">Pause to move time by hand.</p>}
    </Card>
  )
}

/** Goes to the next moment at which time alone changes a job. */
function NextButton() {
  version.value
  const next = jobs().reduce((first, job) => Math.min(first, nextChange(job) ?? first), Number.POSITIVE_INFINITY)
  const ms = next - now.value
  const isThere = Number.isFinite(ms) && ms >= 0
  return (
    <Button disabled={!canStep.value || !isThere} act={() => step(Math.ceil(ms))}>
      {isThere ? `To the next change: +${formatDuration(ms)}` : 'To the next change'}
    </Button>
  )
}
