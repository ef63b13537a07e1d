import { NonRetriableError, PauseQueue } from '@modelrun/kit'
import { ConnectionError, ModelRun } from 'modelrun'
import { describe, expect, test } from 'vitest'
import { MODEL, openBatch, pass, settled, useVirtualTime } from '../../test/batch.ts'
import { createRuns } from './create-runs.ts'
import { createOutageGuard } from './pauses.ts'

const lost = new NonRetriableError('unknown', 'lost', { cause: new ConnectionError({ message: 'refused' }) })

/** Sends runs of a batch at a time of the test. */
function createBatch() {
  let now = 0
  const guard = createOutageGuard({ now: () => now })
  const send = (work: () => Promise<unknown>) =>
    guard(work).catch((error: unknown) => (error instanceof PauseQueue ? error.delayMs : error))
  const wait = (ms: number) => {
    now += ms
  }
  return { send, wait }
}

const fail = () => Promise.reject(lost)
const sent = async () => 'sent'

test('a batch whose runs are lost pauses for longer and longer, up to a minute, and sends one run after each pause', async () => {
  const { send, wait } = createBatch()
  // Two that were sent together.
  expect(await Promise.all([send(fail), send(fail)])).toEqual([lost, lost])
  for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    expect(await send(sent)).toBe(pauseMs)
    wait(pauseMs)
    const first = send(async () => {
      expect(await send(sent)).toBe(1_000)
      throw lost
    })
    expect(await first).toBe(lost)
  }
})

test('it continues when a run got a response, and another failure pauses nothing', async () => {
  const { send, wait } = createBatch()
  await send(fail)
  wait(1_000)
  expect([await send(sent), await send(sent)]).toEqual(['sent', 'sent'])
  const other = new NonRetriableError('unknown', 'died')
  expect([await send(() => Promise.reject(other)), await send(sent)]).toEqual([other, 'sent'])
})

describe('a batch at a gateway that responds 502', () => {
  useVirtualTime()

  test('leaves a few runs for a person to decide about, sends none twice, and then continues', async () => {
    const { runs, outage, sent } = await openBatch({ concurrency: 5 })
    outage.status = 502
    outage.method = 'POST'
    const keys = Array.from({ length: 100 }, (_, index) => `run ${index}`)
    for (const key of keys) await runs.add(key, MODEL, { prompt: key })
    runs.start()
    await pass(60_000)
    expect(sent.length).toBeGreaterThanOrEqual(5)
    expect(sent.length).toBeLessThan(15)
    expect(await settled(runs.progress())).toMatchObject({ unknown: sent.length, waiting: 100 - sent.length })
    outage.status = undefined
    await pass(300_000)
    expect(sent.toSorted()).toEqual(keys.toSorted())
  })
})

describe('a batch whose function `apiKey` fails', () => {
  useVirtualTime()

  test('pauses, and sends its runs when there is a key again', async () => {
    const { server, engine, runs } = await openBatch()
    await settled(runs.add('a', MODEL, { prompt: 'a' }))
    const errors: unknown[] = []
    let key: string | undefined
    const apiKey = async () => key ?? Promise.reject(new Error('The vault is away.'))
    const client = new ModelRun({ ...server.clientOptions(), clock: undefined, apiKey })
    const own = createRuns({ engine, client, onPause: (error) => errors.push(error) })
    own.start()
    await pass(5_000)
    expect((await settled(own.get('a')))?.state).toBe('waiting')
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('The vault is away.') })])
    key = server.apiKey
    await pass(60_000)
    expect((await settled(own.get('a')))?.state).toBe('succeeded')
    await settled(own.stop())
  })
})

describe('a batch whose polls were rejected', () => {
  useVirtualTime()

  test('polls at once when it is resumed with a key that suffices', async () => {
    const { runs, outage, polled } = await openBatch({ onPause: () => {} })
    runs.start()
    await settled(runs.add('a', MODEL, { prompt: 'a' }))
    await pass(200)
    Object.assign(outage, { status: 401, method: 'GET' })
    await pass(2_000)
    outage.status = undefined
    await settled(runs.resume())
    await pass(2_000)
    expect([polled.length, (await settled(runs.get('a')))?.state]).toEqual([2, 'succeeded'])
    await settled(runs.stop())
  })
})
