import { type Clock, startTimer } from '../../clock.ts'

/** How long work may take. */
export interface TimeLimit<T> {
  clock: Clock
  limitMs: number
  /** The value, or the throwing of an error, when the time is over. */
  onLate: () => T
}

/** Settles like the work, or as `onLate` does when that takes too long. The work goes on then; its error is nobody's. */
export function withTimeLimit<T>(work: Promise<T>, { clock, limitMs, onLate }: TimeLimit<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopTimer = startTimer(clock, limitMs, () => {
      try {
        resolve(onLate())
      } catch (error) {
        reject(error)
      }
    })
    work.finally(stopTimer).then(resolve, reject)
  })
}
