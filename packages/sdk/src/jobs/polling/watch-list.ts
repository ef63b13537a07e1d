import type { ResolvedOptions } from '../../options.ts'
import { createAbortGroups } from './abort-groups.ts'
import type { Agenda } from './agenda.ts'
import { type EarlyEnd, type JobWatch, type LastSeen, type Watcher, watchKey } from './job-watch.ts'

/** Who waits for which job. */
export interface WatchList {
  /** Adds a watcher to the watch of its job. */
  add(watcher: Watcher): JobWatch
  /** Takes a watcher out; the last one of a job ends the looks at it, and the last one of all the timer. */
  remove(watcher: Watcher): void
  /** Takes a watcher out and tells it why. */
  endEarly(watcher: Watcher, end: EarlyEnd): void
  /** Takes out everybody who waits for a job, and tells them. */
  close(watch: JobWatch, tell: (watcher: Watcher) => void): void
}

export function createWatchList({ clock, polling }: ResolvedOptions, agenda: Agenda): WatchList {
  const watches = new Map<string, JobWatch>()
  const signals = createAbortGroups<Watcher>(abort)
  const idOf = createIdentities()
  let order = 0

  function add(watcher: Watcher): JobWatch {
    const key = watchKey(watcher.job, watcher.options, idOf)
    const watch =
      watches.get(key) ?? newWatch(watcher, { key, order: order++, now: clock.now() }, polling.maxIntervalMs)
    const { signal } = watcher.options
    watches.set(key, watch)
    watch.watchers.push(watcher)
    watcher.watch = watch
    watcher.order = order++
    if (watcher.at < Number.POSITIVE_INFINITY) agenda.deadlines.put(watcher)
    if (signal) signals.add(signal, watcher)
    return watch
  }

  function remove(watcher: Watcher): void {
    const { watch } = watcher
    const { signal } = watcher.options
    if (!watch) return
    watcher.watch = undefined
    agenda.deadlines.remove(watcher)
    if (signal) signals.remove(signal, watcher)
    watch.watchers.splice(watch.watchers.indexOf(watcher), 1)
    if (watch.watchers.length > 0) return
    watches.delete(watch.key)
    agenda.looks.remove(watch)
    watch.poll?.abort()
    if (watches.size === 0) agenda.stop()
  }

  function endEarly(watcher: Watcher, end: EarlyEnd): void {
    const { watch } = watcher
    if (!watch) return
    remove(watcher)
    watcher.onEarlyEnd(end, watch)
  }

  function abort(watchers: readonly Watcher[]): void {
    const seen = watchers.map(({ watch }) => watch)
    // The latest first: a heap gives up its last items fastest.
    for (const watcher of watchers.toReversed()) remove(watcher)
    for (const [index, watcher] of watchers.entries()) watcher.onEarlyEnd('aborted', seen[index] ?? NOTHING_SEEN)
  }

  return {
    add,
    remove,
    endEarly,
    close: (watch, tell) => {
      for (const watcher of [...watch.watchers]) {
        remove(watcher)
        tell(watcher)
      }
    },
  }
}

const NOTHING_SEEN: LastSeen = { state: undefined, failure: undefined }

/** Numbers objects that cannot be compared by what they hold, such as a dispatcher. */
function createIdentities(): (object: object) => number {
  const numbers = new WeakMap<object, number>()
  let count = 0
  return (object) => {
    const number = numbers.get(object) ?? count++
    numbers.set(object, number)
    return number
  }
}

function newWatch(
  { job, options }: Watcher,
  { key, order, now }: { key: string; order: number; now: number },
  longestGapMs: number,
): JobWatch {
  const { submittedAt = now, seenAt, state } = job
  return {
    key,
    job,
    options,
    watchers: [],
    bornAt: submittedAt,
    isSeenFromStart: seenAt !== undefined && now - seenAt <= longestGapMs,
    seenAt,
    lookedAt: seenAt ?? now,
    notBefore: now,
    polls: 0,
    state,
    failure: undefined,
    poll: undefined,
    at: Number.POSITIVE_INFINITY,
    order,
    slot: -1,
  }
}
