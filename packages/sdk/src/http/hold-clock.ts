import { type Clock, startTimer } from '../clock.ts'

/**
 * Keeps time from passing on a clock that jumps from timer to timer, by one that is always due. ky gives a retry at
 * least one turn of the system's timers, and knows no other clock.
 *
 * @returns How to let time pass again.
 */
export function holdClock(clock: Clock): () => void {
  let stop = () => {}
  const again = () => {
    stop = startTimer(clock, 0, again)
  }
  again()
  return () => stop()
}
