import { canStep, clock, isPaused, nextChange, now, resumeScale, setClock } from '../data/clock.ts'
import { post } from '../data/control.ts'
import { connection, jobs, version } from '../data/store.ts'
import type { ClockState } from '../data/wire.ts'
import { formatDuration, formatTime } from '../text/format.ts'
import { Button } from '../ui/button.tsx'
import { Segments } from '../ui/fields.tsx'
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
      <time dateTime={new Date(now.value).toISOString()} title="Time of the server, UTC">
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
        <>
          <Button kind="small" icon="step" act={() => step(1_000)}>
            <span class="label">Step 1 s</span>
          </Button>
          <NextButton />
        </>
      )}
    </div>
  )
}

/** Goes to the next moment at which time alone changes a job. */
function NextButton() {
  version.value
  const next = jobs().reduce((first, job) => Math.min(first, nextChange(job) ?? first), Number.POSITIVE_INFINITY)
  const ms = next - now.value
  if (!Number.isFinite(ms) || ms < 0) return null
  return (
    <Button kind="small" act={() => step(Math.ceil(ms))}>
      Next change: +{formatDuration(ms)}
    </Button>
  )
}

/** By the factor. */
const SPEEDS: Readonly<Record<string, string>> = { 1: 'real time', 10: '10 ×', 60: '60 ×', 1000: '1,000 ×' }

/** How fast time passes, where it passes by itself. */
export function SpeedCard() {
  const { scale } = clock.value
  if (scale === undefined) return null
  return (
    <Card title="How fast time passes">
      <Segments
        kind="chips"
        label="Speed"
        options={SPEEDS}
        value={String(scale)}
        set={(value) => attempt(() => setScale(Number(value)))}
      />
    </Card>
  )
}
