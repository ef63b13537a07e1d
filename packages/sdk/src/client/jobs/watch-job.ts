import type { Job } from '@modelrun/contract'
import { copyJson } from '@modelrun/kit'
import { type AsyncQueue, createAsyncQueue } from '../../shared/async-queue.ts'
import { type WaitRequest, WaitSubscriber } from './wait-for-job.ts'

/** A new state of a job; `isEnd` for the final one. */
interface StateChange {
  state: Job
  isEnd: boolean
}

/** Yields each new state of a job until it has finished. @throws As `waitForJob`, but for the job's own end */
export async function* watchJob(request: WaitRequest): AsyncGenerator<Job, void, undefined> {
  const changes = createAsyncQueue<StateChange>()
  const subscriber = new StateSubscriber(request, changes)
  const { scheduler } = request.core
  scheduler.join(subscriber)
  try {
    for (;;) {
      const { state, isEnd } = await changes.next()
      yield state
      if (isEnd) return
    }
  } finally {
    scheduler.leave(subscriber)
  }
}

class StateSubscriber extends WaitSubscriber {
  readonly changes: AsyncQueue<StateChange>

  constructor(request: WaitRequest, changes: AsyncQueue<StateChange>) {
    super(request, { isEager: true, wantsStates: true })
    this.changes = changes
  }

  onState(state: Job, isEnd: boolean): void {
    this.changes.push({ state: copyJson(state), isEnd })
  }

  onError(error: unknown): void {
    this.changes.fail(error)
  }
}
