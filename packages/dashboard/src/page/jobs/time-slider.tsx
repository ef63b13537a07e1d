import type { Signal } from '@preact/signals'
import type { Life } from '../data/wire.ts'
import { formatDuration } from '../text/format.ts'

/** Steps of the slider; its ends are the creation and the last thing that happened. */
const STEPS = 200

/** Goes back and forth in the life of a job: what is later becomes faint. */
export function TimeSlider({ life: { job, exchanges }, untilMs }: { life: Life; untilMs: Signal<number> }) {
  const ends = exchanges.map((exchange) => exchange.at_ms + (exchange.kind === 'job' ? 0 : exchange.duration_ms))
  const lengthMs = Math.max(1, ...ends.map((end) => end - job.created_at_ms))
  const shownMs = Math.min(untilMs.value, lengthMs)
  const state = exchanges.findLast(
    (exchange) => exchange.kind === 'job' && exchange.at_ms - job.created_at_ms <= shownMs,
  )
  const text = `+${formatDuration(shownMs)}${state?.kind === 'job' ? `, ${state.to}` : ''}`
  return (
    <label class="slider">
      <span>Time</span>
      <input
        type="range"
        min={0}
        max={STEPS}
        step={1}
        value={(shownMs / lengthMs) * STEPS}
        aria-valuetext={text}
        onInput={({ currentTarget }) => {
          const value = Number(currentTarget.value)
          untilMs.value = value >= STEPS ? Number.POSITIVE_INFINITY : (value / STEPS) * lengthMs
        }}
      />
      <output>{text}</output>
    </label>
  )
}
