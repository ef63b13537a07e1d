import { ConfigurationError } from '@modelrun/kit'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { CONFIRMING, openEngine, openInbox, PUBLIC_URL, SUCCEEDED } from '../../test/test-inbox.ts'

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})

describe('an engine that is down', () => {
  test('has a delivery respond 503 and kept: it is handled when the engine is back, in an inbox that has not started', async () => {
    const shared = openEngine()
    const onSucceeded = vi.fn()
    const { clock, deliver } = openInbox({ ...shared, onSucceeded })
    shared.engine.breakDown('before')
    await expect(deliver(SUCCEEDED)).resolves.toBe(503)
    await clock.advance(30_000)
    shared.engine.repair()
    await clock.advance(10_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test('with wrong options is not a fault of the sender, who does not read of them', async () => {
    const setup = async () => {
      throw new ConfigurationError({ message: 'The file /var/secret.db is of a newer version.' })
    }
    const { inbox } = openInbox({ client: CONFIRMING, engine: { ...openEngine().engine, setup } })
    const response = await inbox.handle(new Request(PUBLIC_URL, { method: 'POST', body: JSON.stringify(SUCCEEDED) }))
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('secret.db')
  })

  test.each(['before', 'hang'] as const)(
    'is tried for a minute; then the user is notified that the delivery is lost (%s)',
    async (kind) => {
      const shared = openEngine()
      const { clock, deliver, notices, inbox } = openInbox({ ...shared, client: CONFIRMING })
      shared.engine.breakDown(kind)
      const response = deliver(SUCCEEDED)
      await clock.advance(58_000)
      await expect(response).resolves.toBe(503)
      expect(notices.onHandlerError).toEqual([])
      await clock.advance(6_000)
      expect(notices.onHandlerError).toEqual([{ event: SUCCEEDED, attempt: 1, error: expect.any(Error), isLast: true }])
      await inbox.drain()
      expect(clock.timerCount).toBe(0)
    },
  )

  test('that does not respond has the delivery respond after 2 s, and its handler runs once when it does', async () => {
    const shared = openEngine()
    const onSucceeded = vi.fn()
    const { clock, deliver } = openInbox({ ...shared, client: CONFIRMING, onSucceeded })
    shared.engine.fail('add', 'late')
    const startedAt = clock.now()
    let respondedAfterMs = 0
    const response = deliver(SUCCEEDED).then((status) => {
      respondedAfterMs = clock.now() - startedAt
      return status
    })
    await clock.advance(2_500)
    await expect(response).resolves.toBe(503)
    expect(respondedAfterMs).toBe(2_000)
    shared.engine.respondLate()
    await clock.advance(60_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test('whose response was lost has the delivery handled once', async () => {
    const shared = openEngine()
    const onSucceeded = vi.fn()
    const { clock, deliver, notices } = openInbox({ ...shared, onSucceeded })
    shared.engine.fail('add', 'after')
    await expect(deliver(SUCCEEDED)).resolves.toBe(503)
    await clock.advance(60_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
    expect(notices.onHandlerError).toEqual([])
  })

  test('that cannot be set up is set up again: deliveries and workers wait for it', async () => {
    const shared = openEngine()
    shared.engine.fail('setup', 'before', 3)
    const onSucceeded = vi.fn()
    const { clock, deliver, inbox } = openInbox({ ...shared, onSucceeded })
    inbox.start()
    await deliver(SUCCEEDED)
    await clock.advance(10_000)
    expect(onSucceeded).toHaveBeenCalledOnce()
    await inbox.drain()
  })
})
