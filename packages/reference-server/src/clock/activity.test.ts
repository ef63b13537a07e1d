import { describe, expect, it } from 'vitest'
import { Activity } from './activity.ts'
import { nextTurn, realNow } from './real-time.ts'

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn()
}

function watch(promise: Promise<void>): { isDone: boolean } {
  const state = { isDone: false }
  void promise.then(() => {
    state.isDone = true
  })
  return state
}

describe('activity', () => {
  it('is quiet while the work waits on the clock, and not when it continues', async () => {
    const activity = new Activity()
    const work = activity.start()
    work.park()
    await activity.quiet()
    work.resume()
    const state = watch(activity.quiet())
    await turns(50)
    expect(state.isDone).toBe(false)
    work.end()
    work.end() // ending twice changes nothing
    await activity.quiet()
  })

  it('waits until several turns have passed without a change', async () => {
    const activity = new Activity()
    const state = watch(activity.quiet())
    for (let change = 0; change < 20; change++) {
      await turns(2)
      activity.touch()
    }
    expect(state.isDone).toBe(false)
    await activity.quiet()
  })

  it('no longer waits for work that was silent for about 250 ms', async () => {
    const activity = new Activity()
    activity.start()
    await activity.quiet()
    const again = watch(activity.quiet()) // its time is used up
    await turns(50)
    expect(again.isDone).toBe(true)
  })

  it('waits for each piece of work as long as for the first, also when others come and go', async () => {
    const activity = new Activity()
    activity.start()
    const quiet = activity.quiet()
    const state = watch(quiet)
    while (!state.isDone) {
      const other = activity.start()
      await turns(5)
      other.end()
      await turns(30)
    }
  })

  it('gives remote clients about 10 ms of real time after each change', async () => {
    const activity = new Activity()
    activity.expectRemoteClients()
    activity.touch()
    const before = realNow()
    await activity.quiet()
    expect(realNow() - before).toBeGreaterThan(8)
  })

  it('settles every wait when it is closed', async () => {
    const activity = new Activity()
    activity.start()
    const quiet = activity.quiet()
    activity.close()
    await quiet
  })
})
