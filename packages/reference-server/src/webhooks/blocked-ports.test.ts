import { expect, it } from 'vitest'
import { hasBlockedPort } from './webhook-target.ts'

it('blocks the ports that the fetch of this runtime blocks, and only those', async () => {
  const ports = Array.from({ length: 65_536 }, (_, port) => port)
  const blocked = ports.filter((port) => hasBlockedPort(`http://192.0.2.1:${port}/`))
  expect(blocked.length).toBeGreaterThan(70)
  const reasonFor = async (port: number) => {
    // The scheme decides nothing about a bad port, and an aborted request opens no connection.
    const failure = await fetch(`http://192.0.2.1:${port}/`, { signal: AbortSignal.timeout(0) }).catch((error) => error)
    return failure.cause?.message
  }
  for (const port of blocked) expect([port, await reasonFor(port)]).toEqual([port, 'bad port'])
  for (const port of [80, 443, 3000, 4010, 5173, 8080, 10081]) expect(await reasonFor(port)).not.toBe('bad port')
})

it.each(['http://a.test/', 'https://a.test:443/', 'http://a.test:80/'])(
  'lets %s pass, which has its default port',
  (url) => {
    expect(hasBlockedPort(url)).toBe(false)
  },
)
