import { expect, it } from 'vitest'
import { isLoopback } from './loopback.ts'

it.each(['localhost', 'api.localhost', '127.0.0.1', '127.255.0.9', '127.1', '::1', '[::1]'])(
  '%s is this machine',
  (host) => {
    expect(isLoopback(host)).toBe(true)
  },
)

it.each(['127.example.com', '127.0.0.1.example.com', 'mylocalhost', '1127.0.0.1', '0.0.0.0', '::', '[::2]', ''])(
  '%j is not certainly this machine',
  (host) => {
    expect(isLoopback(host)).toBe(false)
  },
)
