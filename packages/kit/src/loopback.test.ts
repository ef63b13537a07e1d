import { expect, it } from 'vitest'
import { isLoopback } from './loopback.ts'

const OWN = ['localhost', 'api.localhost', '127.0.0.1', '127.255.0.9', '127.1', '::1', '[::1]']
const OTHERS = ['127.example.com', '127.0.0.1.example.com', 'mylocalhost', '1127.0.0.1', '0.0.0.0', '::', '[::2]', '']

it('this machine has its names and addresses, and no other', () => {
  expect([...OWN, ...OTHERS].filter(isLoopback)).toEqual(OWN)
})
