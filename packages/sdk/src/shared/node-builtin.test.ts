import { nodeBuiltin } from '@modelrun/kit'
import { expect, test, vi } from 'vitest'
import { createTestClient } from '../../test/test-client.ts'

/** Replaces what `process` has for `getBuiltinModule`. */
function stubProcess(get: () => unknown): void {
  const real = process
  vi.stubGlobal(
    'process',
    new Proxy(real, { get: (_, name) => (name === 'getBuiltinModule' ? get() : Reflect.get(real, name)) }),
  )
}

test('gives a module of Node', () => {
  expect(nodeBuiltin('node:path')?.basename('/a/b')).toBe('b')
})

test('gives nothing where the use of a Node API throws, as in the Edge runtime of Next, and the client can be made', () => {
  stubProcess(() => {
    throw new Error('A Node.js API is used (process.getBuiltinModule) which is not supported in the Edge Runtime.')
  })
  expect(nodeBuiltin('node:path')).toBeUndefined()
  expect(() => createTestClient([])).not.toThrow()
})

test('gives nothing where there is no such function', () => {
  stubProcess(() => undefined)
  expect(nodeBuiltin('node:path')).toBeUndefined()
})
