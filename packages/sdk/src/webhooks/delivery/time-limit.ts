import { type Clock, startTimer } from '../../shared/clock.ts'

/** A time limit for work that cannot be cancelled. */
export interface TimeLimit<T> {
  clock: Clock
  limitMs: number
  /** Returns the value for late work, or throws its error. */
  onLate: () => T
}

/** Settles like `work`, or like `onLate` after the time limit. Late work continues, and its error is ignored. */
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
