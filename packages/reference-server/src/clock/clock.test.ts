import { expect, it } from 'vitest'
import { Activity } from './activity.ts'
import { Pauses } from './clock.ts'
import { createManualClock } from './create-clock.ts'

function setUp() {
  const clock = createManualClock(0, new Activity())
  return { clock, pauses: new Pauses(clock), client: new AbortController() }
}

it('passes when its time is over', async () => {
  const { clock, pauses, client } = setUp()
  const pause = pauses.pause(100, client.signal)
  await clock.advance(100)
  expect(await pause).toBe(true)
})

it('ends early when the client goes, has gone, or the server closes', async () => {
  const { pauses, client } = setUp()
  const left = pauses.pause(Number.POSITIVE_INFINITY, client.signal)
  client.abort()
  expect(await left).toBe(false)
  expect(await pauses.pause(1, client.signal)).toBe(false)
  const stays = new AbortController()
  const closed = pauses.pause(100, stays.signal)
  pauses.close()
  expect(await closed).toBe(false)
  expect(await pauses.pause(100, stays.signal)).toBe(false)
})
