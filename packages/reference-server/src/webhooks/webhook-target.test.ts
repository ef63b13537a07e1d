import { expect, it } from 'vitest'
import { targetKind } from './webhook-target.ts'

it.each([
  ['http://127.0.0.1:80/', 'loopback'],
  ['http://0x7f.1/', 'loopback'],
  ['http://2130706433/', 'loopback'],
  ['http://localhost./', 'loopback'],
  ['http://a.localhost/', 'loopback'],
  ['http://[::1]/', 'loopback'],
  ['http://[::ffff:127.0.0.1]/', 'loopback'],
  ['http://10.1.2.3/', 'private'],
  ['http://172.16.0.1/', 'private'],
  ['http://192.168.0.1/', 'private'],
  ['http://169.254.169.254/', 'private'],
  ['http://100.64.0.1/', 'private'],
  ['http://0.0.0.0/', 'private'],
  ['http://255.255.255.255/', 'private'],
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
