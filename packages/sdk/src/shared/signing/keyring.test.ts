import { createHmac } from 'node:crypto'
import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { createKeyring, type Secret } from './keyring.ts'

const OLD = 'o'.repeat(32)
const NEW = 'n'.repeat(32)

const hmac = (secret: string, text: string) => new Uint8Array(createHmac('sha256', secret).update(text).digest())

describe('a secret', () => {
  test('signs with HMAC-SHA256', async () => {
    await expect(createKeyring(OLD).sign('text')).resolves.toEqual(hmac(OLD, 'text'))
  })

  test.each<[string, Secret, string]>([
    ['the key 1 when it is a text', OLD, '1'],
    ['the first key', { b: NEW, a: OLD }, 'b'],
    ['the highest number, because objects forget the order of numbers', { '2': NEW, '1': OLD }, '2'],
    ['the highest number, not the longest text', { '10': NEW, '9': OLD }, '10'],
    ['a key that is not a number before one that is', { '1': OLD, b: NEW }, 'b'],
    ['the first of keys that only look like numbers', { '02': NEW, '01': OLD }, '02'],
    [
      'the first of numbers that are too high for an index',
      { '202601010000': NEW, '202512310000': OLD },
      '202601010000',
    ],
  ])('signs with %s', (_, secret, signer) => {
    expect(createKeyring(secret).signer).toBe(signer)
  })

  test.each<[string, Secret, string]>([
    ['too short', 'x'.repeat(31), 'has 31 bytes; it must have at least 32'],
    ['too short in one of its keys', { a: OLD, b: 'x' }, 'The key "b" of `secret` has 1 bytes'],
    ['empty', {}, '`secret` has no key'],
    ['of an id with a dot', { 'a.b': OLD }, 'The id "a.b" of a key'],
    ['of an id that is too long', { ['k'.repeat(17)]: OLD }, 'is not 1 to 16 letters'],
    ['of an empty id', { '': OLD }, 'The id "" of a key'],
  ])('is rejected when it is %s', (_, secret, problem) => {
    expect(() => createKeyring(secret)).toThrow(ConfigurationError)
    expect(() => createKeyring(secret)).toThrow(problem)
  })

  test('is never in the message of a rejection', () => {
    expect(() => createKeyring({ a: 'hunter2' })).toThrow(/^(?!.*hunter2)/)
  })

  test('is counted in bytes', () => {
    expect(createKeyring('€'.repeat(11)).signer).toBe('1')
  })
})
