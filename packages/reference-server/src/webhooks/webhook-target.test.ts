import { expect, it } from 'vitest'
import { hasBlockedPort, targetKind } from './webhook-target.ts'

it.each([
  ['http://127.0.0.1:80/', 'loopback'],
  ['http://0x7f.1/', 'loopback'],
  ['http://2130706433/', 'loopback'],
  ['http://localhost./', 'loopback'],
  ['http://a.localhost/', 'loopback'],
  ['http://[::1]/', 'loopback'],
  ['http://[::ffff:127.0.0.1]/', 'loopback'],
  ['http://10.1.2.3/', 'private'],
  ['http://169.254.169.254/', 'private'],
  ['http://100.64.0.1/', 'private'],
  ['http://0.0.0.0/', 'private'],
  ['http://[fd00::1]/', 'private'],
  ['http://[fe80::1]/', 'private'],
  ['http://[::]/', 'private'],
  ['http://[::ffff:10.0.0.1]/', 'private'],
  ['http://[64:ff9b::a00:1]/', 'private'],
  ['http://[::127.0.0.1]/', 'private'],
  ['http://[::8.8.8.8]/', 'private'],
  ['https://93.184.215.14/', 'public'],
  ['https://[2606:4700::1111]/', 'public'],
  ['https://receiver.test/', 'name'],
  ['https://10.receiver.test/', 'name'],
])('the address %s is %s', (url, kind) => {
  expect(targetKind(url)).toBe(kind)
})

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
  expect(hasBlockedPort('https://a.test/')).toBe(false)
  for (const port of [80, 443, 3000, 4010, 5173, 8080, 10081]) expect(await reasonFor(port)).not.toBe('bad port')
})
