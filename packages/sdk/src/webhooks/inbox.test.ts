import type { Job } from '@modelrun/contract'
import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test, vi } from 'vitest'
import { createManualClock, settle } from '../testing/manual-clock.ts'
import { createInbox } from './inbox.ts'
import type { InboxOptions } from './inbox-options.ts'

const succeeded = fixtures.webhooks.succeeded.body
const failed = fixtures.webhooks.failed.body
const { job_id } = succeeded

function open(options: InboxOptions = {}) {
  const clock = createManualClock()
  const failures = vi.fn()
  const inbox = createInbox({ clock, random: () => 1, onHandlerError: failures, ...options })
  const deliver = async (body: unknown) => {
    const request = new Request('https://example.com/hook', { method: 'POST', body: JSON.stringify(body) })
    return (await inbox.handle(request)).status
  }
  return { inbox, clock, failures, deliver }
}

/** A service whose job is what `state` says at the time. */
const service = (state: () => Job) => {
  const get = vi.fn(async () => state())
  return { client: { jobs: { get } }, get }
}

/** A promise that a test settles itself. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

describe('a delivery (section 6)', () => {
  test('is answered with 202 before its handler is done', async () => {
    const { opened, open: finish } = gate()
    const onSucceeded = vi.fn(() => opened)
    const { inbox, deliver } = open({ onSucceeded })
    await expect(deliver(succeeded)).resolves.toBe(202)
    await settle()
    expect(onSucceeded).toHaveBeenCalledWith(succeeded, { attempt: 1 })
    finish()
    await inbox.drain()
  })

  test('that comes again is answered with 202 while the first is worked on, then with 200, and is not handled', async () => {
    const { opened, open: finish } = gate()
    const onSucceeded = vi.fn(() => opened)
    const { inbox, deliver } = open({ onSucceeded })
    await deliver(succeeded)
    await expect(deliver(succeeded)).resolves.toBe(202)
    finish()
    await inbox.drain()
    await expect(deliver(succeeded)).resolves.toBe(200)
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test('that comes a hundred times at once is handled once (rule 3)', async () => {
    const onSucceeded = vi.fn()
    const { inbox, deliver } = open({ onSucceeded })
    const statuses = await Promise.all(Array.from({ length: 100 }, () => deliver(succeeded)))
    await inbox.drain()
    expect(statuses.every((status) => status === 200 || status === 202)).toBe(true)
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test('of an unknown status does not hide the result that follows', async () => {
    const onUnknown = vi.fn()
    const onSucceeded = vi.fn()
    const { inbox, deliver } = open({ onUnknown, onSucceeded })
    await deliver({ job_id, status: 'processing' })
    await inbox.drain()
    await expect(deliver(succeeded)).resolves.toBe(202)
    await inbox.drain()
    expect([onUnknown.mock.calls.length, onSucceeded.mock.calls.length]).toEqual([1, 1])
  })

  test('whose handler failed 8 times is new when it comes again', async () => {
    const onFailed = vi.fn<() => unknown>(() => {
      throw new Error('the database is down')
    })
    const { inbox, clock, deliver, failures } = open({ onFailed })
    await deliver(failed)
    await clock.run(inbox.drain())
    expect(failures).toHaveBeenCalledTimes(8)
    onFailed.mockImplementation(() => {})
    await expect(deliver(failed)).resolves.toBe(202)
    await inbox.drain()
    expect(onFailed).toHaveBeenCalledTimes(9)
    await expect(deliver(failed)).resolves.toBe(200)
  })
})

describe('an inbox with a client (section 6, rule 4)', () => {
  const forged = {
    ...succeeded,
    output: { type: 'image', items: [{ type: 'image', url: 'https://evil.example.com' }] },
  }

  test('shows its handler what the service says, not what was delivered', async () => {
    const { client, get } = service(() => fixtures.jobs.succeeded.body.data)
    const onSucceeded = vi.fn()
    const { inbox, deliver } = open({ client, onSucceeded })
    await deliver(forged)
    await inbox.drain()
    expect(get.mock.calls).toEqual([[job_id]])
    expect(onSucceeded.mock.calls[0]?.[0]).toMatchObject({ output: fixtures.jobs.succeeded.body.data.output })
    expect(JSON.stringify(onSucceeded.mock.calls)).not.toContain('evil')
  })

  test('looks again at a job that is still processing', async () => {
    const states = ['processing', 'processing']
    const { client, get } = service(() => {
      const status = states.shift()
      return status === undefined ? fixtures.jobs.succeeded.body.data : { status }
    })
    const onSucceeded = vi.fn()
    const { inbox, clock, deliver } = open({ client, onSucceeded })
    await deliver(succeeded)
    await clock.run(inbox.drain())
    expect(get).toHaveBeenCalledTimes(3)
    expect(onSucceeded).toHaveBeenCalledOnce()
  })

  test('does not lose the true delivery after a forged one that came too early', async () => {
    let job: Job = { status: 'processing' }
    const { client } = service(() => job)
    const onSucceeded = vi.fn()
    const { inbox, clock, deliver } = open({ client, onSucceeded })
    const waited = vi.fn()
    void inbox.waitFor(job_id).then(waited)
    await deliver(forged)
    await clock.run(inbox.drain())
    expect(onSucceeded).not.toHaveBeenCalled()
    expect(waited).not.toHaveBeenCalled()

    job = fixtures.jobs.succeeded.body.data
    await expect(deliver(succeeded)).resolves.toBe(202)
    await inbox.drain()
    await settle()
    expect(onSucceeded).toHaveBeenCalledOnce()
    expect(waited.mock.calls).toMatchObject([[{ output: fixtures.jobs.succeeded.body.data.output }]])
  })
})

describe('waitFor', () => {
  test('resolves for everybody who waits once the handler is done', async () => {
    const { opened, open: finish } = gate()
    const { inbox, deliver } = open({ onSucceeded: () => opened })
    const waits = Promise.all([inbox.waitFor(job_id), inbox.waitFor(job_id)])
    await deliver(succeeded)
    finish()
    await expect(waits).resolves.toEqual([succeeded, succeeded])
  })

  test('resolves at once for a job that is done', async () => {
    const { inbox, deliver } = open()
    await deliver(failed)
    await inbox.drain()
    await expect(inbox.waitFor(failed.job_id)).resolves.toEqual(failed)
  })

  test('resolves when the handler has failed for the last time', async () => {
    const { inbox, clock, deliver } = open({ onSucceeded: () => Promise.reject(new Error('no')) })
    const waiting = inbox.waitFor(job_id)
    await deliver(succeeded)
    await expect(clock.run(waiting)).resolves.toEqual(succeeded)
  })
})

describe('drain', () => {
  test('resolves at once when nothing runs', async () => {
    await expect(open().inbox.drain()).resolves.toBeUndefined()
  })

  test('waits for handlers, and for those that begin while it waits', async () => {
    const { opened, open: finish } = gate()
    const done: string[] = []
    const { inbox, deliver } = open({
      onSucceeded: async () => {
        await opened
        await deliver(failed)
        done.push('succeeded')
      },
      onFailed: async () => {
        await settle()
        done.push('failed')
      },
    })
    await deliver(succeeded)
    const drained = inbox.drain()
    finish()
    await drained
    expect(done).toEqual(['succeeded', 'failed'])
  })
})

describe('a request that is no delivery', () => {
  test.each(['GET', 'PUT', 'DELETE', 'HEAD'])('is answered with 405 when it is a %s', async (method) => {
    const response = await open().inbox.handle(new Request('https://example.com', { method }))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test.each(['', 'x', '{}', '[]', `"${'x'.repeat(300_000)}"`])(
    'is answered with 400 when its body is bad',
    async (body) => {
      const request = new Request('https://example.com', { method: 'POST', body })
      const response = await open().inbox.handle(request)
      expect(response.status).toBe(400)
      await expect(response.json()).resolves.toEqual({ message: expect.stringContaining('cannot be used') })
    },
  )
})
