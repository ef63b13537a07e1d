import { canStep, clock, nextChange, now, setClock } from '../data/clock.ts'
import { post } from '../data/control.ts'
import { connection, jobs, version } from '../data/store.ts'
import { formatDuration, formatTime } from '../text/format.ts'
import { Button } from '../ui/button.tsx'

async function step(ms: number): Promise<void> {
  const { now_ms } = await post<{ now_ms: number }>('clock', { advance_ms: ms })
  setClock({ ...clock.value, now_ms })
}

function modeText(): string {
  const { mode, scale } = clock.value
  if (scale === undefined) return mode === 'manual' ? 'is paused' : 'skips every wait'
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
