import { type Clock, startTimer } from '../../clock.ts'
import { createHeap, type Heap } from './heap.ts'
import type { JobWatch, Watcher } from './job-watch.ts'

/** What is due when, for all waits of a client, under one timer. */
export interface Agenda {
  /** The jobs by their next look. One that is being looked at is not among them. */
  readonly looks: Heap<JobWatch>
  /** The waits by their deadline. */
  readonly deadlines: Heap<Watcher>
  /** Does what is due, and sets the timer for what is next. */
  run(): void
  /** Stops the timer. */
  stop(): void
}

/** What an agenda does. */
export interface AgendaTasks {
  look(watch: JobWatch): void
  /** When the next look may begin, in milliseconds of the clock; `Infinity` while another one must end first. */
  nextLookAt(): number
  endAtDeadline(watcher: Watcher): void
}

export function createAgenda(clock: Clock, tasks: AgendaTasks): Agenda {
  const looks = createHeap<JobWatch>()
  const deadlines = createHeap<Watcher>()
  let timer: { at: number; stop: () => void } | undefined

  function run(): void {
    const now = clock.now()
    for (let late = deadlines.first(); late && late.at <= now; late = deadlines.first()) tasks.endAtDeadline(late)
    for (let due = looks.first(); due && lookAt(due) <= now; due = looks.first()) {
      looks.remove(due)
      tasks.look(due)
    }
    setTimer(Math.min(lookAt(looks.first()), deadlines.first()?.at ?? Number.POSITIVE_INFINITY))
  }

  function lookAt(watch: JobWatch | undefined): number {
    return watch ? Math.max(watch.at, tasks.nextLookAt()) : Number.POSITIVE_INFINITY
  }

  /** A timer that is too early stays: it finds nothing due and sets the right one. */
  function setTimer(at: number): void {
    if (timer && timer.at <= at) return
    stop()
    const onTime = () => {
      timer = undefined
      run()
    }
    timer = { at, stop: startTimer(clock, at - clock.now(), onTime) }
  }

  function stop(): void {
    timer?.stop()
    timer = undefined
  }

  return { looks, deadlines, run, stop }
}
