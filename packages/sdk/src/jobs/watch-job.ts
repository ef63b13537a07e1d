import type { Job } from '@modelrun/contract'
import { type AsyncQueue, createAsyncQueue } from '../async-queue.ts'
import { type WaitRequest, WaitWatcher } from './wait-for-job.ts'

/** A new state of a job; `isEnd` for the final one. */
interface StateChange {
  state: Job
  isEnd: boolean
}

/** Yields each new state of a job until it has finished. @throws As `waitForJob`, but for the job's own end */
export async function* watchJob(request: WaitRequest): AsyncGenerator<Job, void, undefined> {
  const changes = createAsyncQueue<StateChange>()
  const watcher = new StateWatcher(request, changes)
  const { scheduler } = request.core
  scheduler.join(watcher)
  try {
    for (let isEnded = false; !isEnded; ) {
      const { state, isEnd } = await changes.next()
      yield state
      isEnded = isEnd
    }
  } finally {
    watcher.span?.abandon()
    scheduler.leave(watcher)
  }
}

class StateWatcher extends WaitWatcher {
  readonly isEager = true
  readonly isWatching = true
  readonly changes: AsyncQueue<StateChange>

  constructor(request: WaitRequest, changes: AsyncQueue<StateChange>) {
    super(request)
    this.changes = changes
  }

  onState(state: Job, isEnd: boolean): void {
    if (isEnd) this.span?.end()
    this.changes.push({ state, isEnd })
  }

  onError(error: unknown): void {
    this.span?.fail(error)
    this.changes.fail(error)
  }
}
