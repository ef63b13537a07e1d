import { type Clock, startTimer } from '../../clock.ts'
import { createHeap, type Heap } from './heap.ts'
import type { PolledJob, Subscriber } from './job-watch.ts'

/** What is due when, for all waits of a client, under one timer. */
export interface PollSchedule {
  /** The jobs by their next look. One that is being looked at is not among them. */
  readonly nextPolls: Heap<PolledJob>
  /** The waits by their deadline. */
  readonly deadlines: Heap<Subscriber>
  /** Does what is due, and sets the timer for what is next. */
  run(): void
  /** Stops the timer. */
  stop(): void
}

/** What an agenda does. */
export interface ScheduleTasks {
  poll(polled: PolledJob): void
  /** When the next look may begin, in milliseconds of the clock; `Infinity` while another one must end first. */
  nextPollAt(): number
  endAtDeadline(subscriber: Subscriber): void
}

export function createPollSchedule(clock: Clock, tasks: ScheduleTasks): PollSchedule {
  const nextPolls = createHeap<PolledJob>()
  const deadlines = createHeap<Subscriber>()
  let timer: { at: number; stop: () => void } | undefined

  function run(): void {
    const now = clock.now()
    for (let late = deadlines.first(); late && late.at <= now; late = deadlines.first()) tasks.endAtDeadline(late)
    for (let due = nextPolls.first(); due && pollAt(due) <= now; due = nextPolls.first()) {
      nextPolls.remove(due)
      tasks.poll(due)
    }
    setTimer(Math.min(pollAt(nextPolls.first()), deadlines.first()?.at ?? Number.POSITIVE_INFINITY))
  }

  function pollAt(polled: PolledJob | undefined): number {
    return polled ? Math.max(polled.at, tasks.nextPollAt()) : Number.POSITIVE_INFINITY
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

  return { nextPolls: nextPolls, deadlines, run, stop }
}
