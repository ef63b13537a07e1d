import type { FaultOptions } from '@modelrun/reference-server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Connection, TRANSPORTS } from '../transports.ts'

const PRICE = 4

describe.each(TRANSPORTS)('a run whose response is lost on $name', ({ open }) => {
  let connection: Connection

  beforeAll(async () => {
    // Msw shows every error that a handler throws, which is how it takes one with a code.
    vi.spyOn(console, 'error').mockImplementation(() => {})
    connection = await open()
  })
  afterAll(async () => {
    await connection.close()
    vi.restoreAllMocks()
  })

  it.each<[FaultOptions, number]>([
    [{ kind: 'reset' }, 0],
    [{ kind: 'reset', when: 'after' }, PRICE],
    [{ kind: 'empty-reply' }, 0],
    [{ kind: 'empty-reply', when: 'after' }, PRICE],
    [{ kind: 'truncated-body', bytes: 5 }, PRICE],
    [{ kind: 'server-error', when: 'after' }, PRICE],
  ])('by %j is sent once, costs %i credits, and the client cannot know', async (options, cost) => {
    const { server, client } = connection
    server.reset()
    const credits = server.credits()
    const fault = server.faults.add({ ...options, route: 'runModel', times: 1 })
    const error = await client.run('aurora-image', { prompt: 'a lighthouse' }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ submission: 'unknown' })
    expect(credits - server.credits()).toBe(cost)
    expect(server.journal.text().match(/POST \/v1\/models/g)).toHaveLength(1)
    expect(fault).toMatchObject({ used: 1, unused: false })
  })

  it('arrives when another account has the fault', async () => {
    const { server, client } = connection
    server.reset()
    const other = server.createKey()
    server.faults.add({ kind: 'reset' }, other.key)
    await client.run('aurora-image', { prompt: 'a lighthouse' })
    expect(server.faults.list(other.key)).toMatchObject([{ used: 0, unused: true }])
  })
})
