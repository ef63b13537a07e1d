import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { DEFAULT_CATALOG } from '../domain/catalog.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'
import type { Snapshot } from './snapshot-schema.ts'

/** What a server of 0.1.0 with a dashboard wrote to its `--state`. */
const stored = readFileSync(new URL('../../test/stored/state-0.1.0.json', import.meta.url), 'utf8')

type Path = readonly (string | number)[]

/** The stored state with another value at a place; `undefined` removes it. */
function changed(path: Path, value: unknown): Snapshot {
  const copy = JSON.parse(stored)
  const holder = path.slice(0, -1).reduce((found, name) => found[name], copy)
  const last = path.at(-1) ?? ''
  if (value === undefined && Array.isArray(holder)) holder.splice(Number(last), 1)
  else if (value === undefined) delete holder[last]
  else holder[last] = value
  return copy
}

function partOf(list: 'jobs' | 'keys'): unknown {
  return JSON.parse(stored)[list][0]
}

function reasonOf(restore: () => void): string {
  try {
    restore()
    return ''
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
}

describe('the state of a server of 0.1.0', () => {
  it('is read, and continues where it stood', async () => {
    const deliveries: unknown[] = []
    const deliver = async (request: Request) => {
      deliveries.push(await request.json())
      return new Response()
    }
    const server = createReferenceServer({ clock: 'manual', deliver })
    server.restore(JSON.parse(stored))
    expect(server.report().unfinishedJobs.map(({ status }) => status)).toEqual(['queued', 'processing'])
    expect(server.webhooks.deliveries()).toMatchObject([{ url: 'https://app.test/hook', outcome: 'delivered' }])
    await server.clock.advance(200_000)
    expect(deliveries).toMatchObject([{ status: 'succeeded' }])
    expect((await apiCaller(server).get('/v1/models')).headers.get('x-request-id')).toBe('http_11')
  })

  it('is read without the members of a delivery that are gone', () => {
    const server = createReferenceServer({ clock: 'manual' })
    const webhook = { when: 'after-poll', receiver: { response: 500 }, delay_ms: 7 }
    server.restore(changed(['accounts', 0, 'webhook'], webhook))
    expect(server.snapshot().accounts[0]?.webhook).toEqual({ delay_ms: 7 })
  })
})

describe('restore', () => {
  it.each([
    ['a string', 'nonsense', 'not a snapshot of a reference server'],
    ['nothing', undefined, 'not a snapshot of a reference server'],
    ['another object', {}, 'its member format is not "modelrun-reference-server"'],
    [
      'another version',
      { format: 'modelrun-reference-server', version: 2 },
      'version 2, and this release reads version 1',
    ],
    ['a part', { format: 'modelrun-reference-server', version: 1 }, '/time is missing; it must be a number'],
  ])('rejects %s', (_, value, reason) => {
    const server = createReferenceServer({ clock: 'manual' })
    expect(() => server.restore(value as never)).toThrow(reason)
  })

  it.each<[what: string, path: Path, value: unknown, reason: string]>([
    ['a job twice', ['jobs', 1], partOf('jobs'), '/jobs/1/id is the same as /jobs/0/id'],
    ['a key without its text', ['keys', 0, 'key'], undefined, '/keys/0/key is missing'],
    ['a key twice', ['keys', 1], partOf('keys'), '/keys/1/key is the same as /keys/0/key'],
    ['a key of an unknown account', ['keys', 0, 'account'], 7, '/keys/0/account is 7, and there are 3 accounts'],
    ['an address that is none', ['keys', 0, 'allowIps'], ['here'], '/keys/0/allowIps/0 is not valid (neither an IP'],
    ['a job without end or plan', ['jobs', 0, 'end'], undefined, '/jobs/0 has neither a plan nor an end'],
    [
      'a held delivery of an unknown job',
      ['pendingDeliveries', 0, 'job_id'],
      'job_x',
      '/pendingDeliveries/0/job_id names "job_x"',
    ],
    [
      'more credits charged than granted',
      ['accounts', 0, 'credits', 'charged'],
      10_001,
      '/accounts/0/credits: 10001 credits are charged and 4 are the price of unfinished jobs, but 10000 were granted',
    ],
    ['too few credits for the jobs that run', ['accounts', 0, 'credits', 'granted'], 9, '/accounts/0/credits'],
    [
      'an input that is too deep',
      ['jobs', 0, 'input', 'deep'],
      JSON.parse('['.repeat(8_000) + ']'.repeat(8_000)),
      'nests deeper than 80 levels of objects and arrays',
    ],
  ])('rejects %s, names the place, says what to do, and leaves the server as it is', (...[, path, value, reason]) => {
    const server = createReferenceServer({ clock: 'manual' })
    const before = server.snapshot()
    const message = reasonOf(() => server.restore(changed(path, value)))
    expect(message).toContain(reason)
    if (!reason.startsWith('nests')) expect(message).toContain('Restore an older one, or take a new one.')
    expect(server.snapshot()).toEqual(before)
  })

  it('rejects jobs of a model that its catalog lacks', () => {
    const catalog = DEFAULT_CATALOG.filter(({ id }) => id !== 'aurora-image')
    expect(reasonOf(() => createReferenceServer({ catalog }).restore(JSON.parse(stored)))).toContain(
      '/accounts/0/scripts names "aurora-image", which the catalog of this server lacks',
    )
  })

  it('restores nothing or everything, whatever one value of a file is', () => {
    const server = createReferenceServer({ clock: 'manual' })
    const empty = server.snapshot()
    const emptyText = JSON.stringify(empty)
    const outcomes = { rejected: 0, restored: 0 }
    const cases = [...placesIn(JSON.parse(stored))].flatMap((path) =>
      [undefined, 'x', -1, 1e300].map((value) => ({ path, value })),
    )
    for (const { path, value } of cases) {
      const reason = reasonOf(() => server.restore(changed(path, value)))
      const place = `${JSON.stringify(value)} at /${path.join('/')}`
      expect(reason, place).toMatch(/^$|^ConfigurationError: .*(damaged: \/|member format|has the version)/)
      outcomes[reason === '' ? 'restored' : 'rejected']++
      if (reason === '') checkUsable(server, place)
      if (reason === '') server.restore(empty)
      expect(JSON.stringify(server.snapshot()) === emptyText, place).toBe(true)
    }
    expect(outcomes.rejected).toBeGreaterThan(500)
    expect(outcomes.restored).toBeGreaterThan(100)
  })
})

/** Everything that reads the whole state works. */
function checkUsable(server: ReferenceServer, place: string): void {
  expect(
    reasonOf(() => server.restore(server.snapshot())),
    place,
  ).toBe('')
  server.journal.text()
  server.webhooks.deliveries()
  for (const { id } of server.snapshot().jobs) server.job(id)
}

/** Every place of a state but those in inputs, and in the actions and the journal of 0.1.0, which are not read. */
function* placesIn(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) return
  const isTaken = ([name]: Path) => name !== 'actions' && name !== 'journal'
  for (const [name, member] of Object.entries(value)) {
    const place = [...path, Array.isArray(value) ? Number(name) : name]
    if (!isTaken(place)) continue
    yield place
    if (name !== 'input') yield* placesIn(member, place)
  }
}
