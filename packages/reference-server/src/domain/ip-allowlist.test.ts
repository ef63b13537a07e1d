import { describe, expect, it } from 'vitest'
import { allowlistSchema, createIpAllowlist } from './ip-allowlist.ts'

describe('an IP allowlist (section 5)', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.8', false],
    ['10.0.0.0/8', '10.200.3.4', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['0.0.0.0/0', '8.8.8.8', true],
    ['2001:db8::1', '2001:0DB8:0:0:0:0:0:1', true],
    ['2001:db8::1', '2001:db8::2', false],
    ['2001:db8::/32', '2001:db8:ffff::9', true],
    ['2001:db8::/32', '2001:db9::9', false],
    ['::/0', '203.0.113.7', false],
    ['0.0.0.0/0', '2001:db8::1', false],
    // A mapped address counts as its IPv4 address.
    ['1.2.3.4', '::ffff:1.2.3.4', true],
    ['::ffff:1.2.3.4', '1.2.3.4', true],
    ['::ffff:1.2.3.4', '1.2.3.5', false],
    ['1.2.3.0/24', '::ffff:102:3ff', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '11.1.2.3', false],
  ])('with %s and the client %s returns %s', (entry, client, allowed) => {
    expect(createIpAllowlist([entry])(client)).toBe(allowed)
  })

  it.each(['', 'localhost', '1.2.3', '010.0.0.1', '1.2.3.4:80', '1.2.3.4/32', '[::1]', '::1::'])(
    'does not allow the client %j, which is not an IP address',
    (client) => {
      expect(createIpAllowlist(['0.0.0.0/0', '::/0'])(client)).toBe(false)
    },
  )

  it.each(['', 'localhost', '1.2.3', '010.0.0.1', '10.0.0.0/33', '10.0.0.0/', '::1/129', '10.0.0.0/8/8', '1.2.3.4 '])(
    'does not have the entry %j',
    (entry) => {
      expect(allowlistSchema.safeParse(['10.0.0.1', entry]).error?.issues).toMatchObject([{ path: [1] }])
    },
  )

  it('checks every entry, and allows no client when it is empty', () => {
    const isAllowed = createIpAllowlist(['2001:db8::/32', '10.0.0.1', '192.168.0.0/16'])
    expect(['192.168.4.4', '10.0.0.1', '10.0.0.2'].map(isAllowed)).toEqual([true, true, false])
    expect(createIpAllowlist([])('127.0.0.1')).toBe(false)
  })
})
