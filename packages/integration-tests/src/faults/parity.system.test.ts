import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { AxiosRequestConfig } from 'axios'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Connection, type OpenConnection, TRANSPORTS } from '../transports.ts'
import { expectedObservations, faultTable, KINDS, timeLimitMs, type WayName } from './fault-table.ts'
import { seeRequest } from './observations.ts'

const WAYS: Readonly<Record<string, { way: WayName; axiosConfig(fetch: Connection['fetch']): AxiosRequestConfig }>> = {
  'server.fetch': { way: 'server.fetch', axiosConfig: (fetch) => ({ adapter: 'fetch', env: { fetch } }) },
  MSW: { way: 'MSW 3', axiosConfig: () => ({ adapter: 'http' }) },
  'a socket': { way: 'a socket', axiosConfig: () => ({ adapter: 'http' }) },
}

describe.each(TRANSPORTS)('on $name', ({ name, open }) => {
  const { way, axiosConfig } = wayOf(name)
  let connection: Awaited<ReturnType<OpenConnection>>

  beforeAll(async () => {
    connection = await open()
  })
  // Msw shows every error that a handler throws, which is how it takes one with a code.
  beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue())
  afterAll(async () => {
    // They are wrong on purpose.
    await connection.server.takeViolations()
    await connection.close()
  })

  it.each(KINDS)('a fetch and an axios client meet %s as the guide says', async (kind) => {
    const { server, baseUrl, fetch } = connection
    server.faults.clear()
    server.faults.add({ kind, times: 2 })
    const request = {
      timeLimitMs: timeLimitMs(kind),
      url: `${baseUrl}/v1/models/aurora-image`,
      apiKey: server.apiKey,
      fetch,
    }
    expect(await seeRequest({ ...request, axiosConfig: axiosConfig(fetch) })).toEqual(expectedObservations(way, kind))
    expect(server.faults.list()).toMatchObject([{ used: 2, unused: false }])
    expect(await seeRequest({ ...request, axiosConfig: axiosConfig(fetch) })).toEqual({ fetch: '200', axios: '200' })
  })
})

it('stands in the guide as it is checked here (npx vitest run packages/integration-tests/src/faults -u writes it)', async () => {
  const guide = fileURLToPath(new URL('../../../../docs/guides/reference-server-control.md', import.meta.url))
  const page = await readFile(guide, 'utf8')
  const table = /(?<=<!-- faults: checked by a test -->\n\n).*?(?=\n\n<!-- end of faults -->)/s
  expect(page).toMatch(table)
  await expect(page.replace(table, () => faultTable())).toMatchFileSnapshot(guide)
})

function wayOf(name: string) {
  const way = WAYS[name]
  if (way === undefined) throw new Error(`The table of faults knows no transport ${name}.`)
  return way
}
