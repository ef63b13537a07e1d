import { canStep, clock, nextChange, now, resumeScale } from '../data/clock.ts'
import { jobs, version } from '../data/store.ts'
import { formatDay, formatDuration, formatTime } from '../text/format.ts'
import { modeText, setScale, step } from './clock-bar.tsx'

const STEPS_MS = [100, 1_000, 10_000, 60_000]

/** The slider goes from 1 to 1,000 times as fast, evenly in powers of ten. */
const LARGEST_POWER = 3

export function ClockCard() {
  const { scale } = clock.value
  return (
    <section class="card" aria-label="Time">
      <h2>Time</h2>
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
            onChange={({ currentTarget }) => setScale(rounded(10 ** Number(currentTarget.value)))}
          />
          <output>{scale === 0 ? 'paused' : `${scale} ×`}</output>
        </label>
      )}
      <div class="buttons" role="group" aria-label="Move time on">
        {STEPS_MS.map((ms) => (
          <button key={ms} type="button" class="button" disabled={!canStep.value} onClick={() => step(ms)}>
            +{formatDuration(ms)}
          </button>
        ))}
        <NextButton />
      </div>
      {!canStep.value && <p class="muted small">Pause to move time by hand.</p>}
    </section>
  )
}

/** Goes to the next moment at which time alone changes a job. */
function NextButton() {
  version.value
  const next = jobs().reduce((first, job) => Math.min(first, nextChange(job) ?? first), Number.POSITIVE_INFINITY)
  const ms = next - now.value
  const isThere = Number.isFinite(ms) && ms >= 0
  return (
    <button type="button" class="button" disabled={!canStep.value || !isThere} onClick={() => step(Math.ceil(ms))}>
      {isThere ? `To the next change: +${formatDuration(ms)}` : 'To the next change'}
    </button>
  )
}

function rounded(value: number): number {
  const places = value < 10 ? 10 : 1
  return Math.round(value * places) / places
}
