import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'
import { EventLog, type LoggedEvent } from './clock.ts'

const MODEL = 'aurora-image' // 4 s, 4 credits
const note = (at: number): LoggedEvent => ({ at, kind: 'job_ended', job_id: `job_${at}`, text: '' })

describe('event log', () => {
  it('catches up before and after, so that what was over before does not count', async () => {
    const ends = [note(1), note(2)]
    const eventLog: EventLog = new EventLog(() => {
      const end = ends.shift()
      if (end !== undefined) eventLog.add(() => end)
    })
    expect(await eventLog.during(0, async () => {})).toMatchObject([{ at: 2 }])
  })
})

describe.each(['manual', 'auto'] as const)('advance of a %s clock', (clock) => {
  it('returns the jobs that ended and the deliveries made, and nothing of what was before or is to come', async () => {
    const deliver = async () => new Response(null, { status: 500 })
    const server = createReferenceServer({ clock, deliver })
    const caller = apiCaller(server)
    server.script(MODEL, [
      { result: 'succeeded' },
      { result: 'failed', after_ms: 7_000 },
      { result: 'succeeded', after_ms: 20_000 },
    ])
    const ids: string[] = []
    for (let run = 0; run < 3; run++) {
      const webhook = run === 1 ? { webhook_url: 'https://receiver.test/' } : {}
      ids.push(String((await caller.run(MODEL, { sync: false, ...webhook })).body.job_id))
    }
    const [one, two] = ids
    const start = server.clock.now()
    expect(await server.clock.advance(10_000)).toEqual([
      {
        at: start + 4_200,
        afterMs: 4_200,
        kind: 'job_ended',
        job_id: one,
        text: `job ${one} (aurora-image) succeeded: 4 credits charged`,
      },
      {
        at: start + 7_000,
        afterMs: 7_000,
        kind: 'job_ended',
        job_id: two,
        text: `job ${two} (aurora-image) failed, PROVIDER_FAILURE: 0 credits charged`,
      },
      {
        at: start + 7_000,
        afterMs: 7_000,
        kind: 'delivery_ended',
        job_id: two,
        text: `webhook of job ${two} to https://receiver.test/: rejected (500)`,
      },
    ])
    expect(await server.clock.advance(1)).toEqual([])
  })

  it('returns the holds that were over', async () => {
    const server = createReferenceServer({ clock })
    const [held] = [apiCaller(server).run('lumen/aurora-video')] // 90 s
    const happened = await server.clock.advance(60_000)
    const { job_id } = (await held).body
    const text = `the run of lumen/aurora-video was held for 55 s and gets a 202: job ${job_id} continues`
    expect(happened).toMatchObject([{ kind: 'hold_ended', afterMs: 55_000, job_id, text }])
  })
})
