import { beforeEach, expect, test, vi } from 'vitest'
import { openInbox, PUBLIC_URL, SECRET, SUCCEEDED, SUCCEEDED_JOB } from '../../test/test-inbox.ts'
import type { InboxOptions } from './inbox-options.ts'

beforeEach(() => {
  for (const method of ['error', 'warn'] as const) vi.spyOn(console, method).mockReturnValue()
})

const fail = (thrown: unknown): never => {
  throw thrown
}

/** How what a program plugs into an inbox can fail. */
const FAILURES: Readonly<Record<string, () => unknown>> = {
  'throws an error': () => fail(new Error('out of order')),
  'throws nothing': () => fail(undefined),
  'throws what has no text': () => fail(Object.create(null)),
  rejects: () => Promise.reject(new Error('out of order')),
  'rejects with what has no text': () => Promise.reject(Object.create(null)),
  'rejects with nothing': () => Promise.reject(),
}

const { job_id } = SUCCEEDED
const OTHER = { ...SUCCEEDED, job_id: 'job_other' }

/** Fails for the first job only. */
const PLACES: Readonly<Record<string, (fail: () => unknown) => Omit<InboxOptions, 'clock'>>> = {
  onSucceeded: (plugged) => ({ onSucceeded: (event) => event.job_id === job_id && plugged() }),
  onHandlerError: (plugged) => ({ onSucceeded: () => fail(new Error('x')), onHandlerError: plugged, maxAttempts: 1 }),
  onDead: (plugged) => ({ onSucceeded: () => fail(new Error('x')), onDead: plugged, maxAttempts: 1 }),
  'the client': (plugged) => ({
    client: { jobs: { get: (id) => (id === job_id ? (plugged() as never) : Promise.resolve(SUCCEEDED_JOB)) } },
  }),
}

const CELLS = Object.keys(PLACES).flatMap((place) => Object.keys(FAILURES).map((failure) => [place, failure] as const))

test.each(CELLS)('%s that %s loses no delivery, of this job or of another', async (place, failure) => {
  const plugged = PLACES[place]?.(FAILURES[failure] ?? (() => {})) ?? {}
  const seen: string[] = []
  const own = plugged.onSucceeded
  const { inbox, clock, deliver } = openInbox({
    ...plugged,
    onSucceeded: (event, context) => {
      seen.push(event.job_id)
      return own?.(event, context)
    },
  })
  expect(await deliver(SUCCEEDED)).toBe(202)
  expect(await deliver(OTHER)).toBe(202)
  await vi.waitFor(
    async () => {
      await clock.advance(1_000)
      expect(seen).toContain(OTHER.job_id)
      if (place !== 'the client') expect(seen).toContain(job_id)
    },
    { timeout: 100_000 },
  )
  await inbox.drain()
})

test.each(Object.keys(FAILURES))('a listener that %s changes nothing for the others', async (failure) => {
  const { inbox, deliver } = openInbox()
  const seen: string[] = []
  inbox.listen(job_id, FAILURES[failure] as () => void)
  inbox.listen(job_id, (event) => seen.push(event.job_id))
  await deliver(SUCCEEDED)
  await vi.waitFor(() => expect(seen).toEqual([job_id]), { timeout: 100_000 })
})

test('a poll that never ends does not keep its job from later polls', async () => {
  let polls = 0
  const get = () => (++polls === 1 ? new Promise<never>(() => {}) : Promise.resolve(SUCCEEDED_JOB))
  const seen: string[] = []
  const onSucceeded = (event: { job_id: string }) => void seen.push(event.job_id)
  const client = { jobs: { get } }
  const { clock, deliver, inbox } = openInbox({ client, secret: SECRET, publicUrl: PUBLIC_URL, onSucceeded })
  await deliver(SUCCEEDED, await inbox.callbackUrl())
  await clock.advance(15 * 60_000)
  expect(seen).toEqual([job_id])
})
