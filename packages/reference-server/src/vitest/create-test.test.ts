import { expect, it } from 'vitest'
import { createReferenceServer } from '../reference-server.ts'
import { createTest } from './create-test.ts'

/** With options as JavaScript could pass them. */
const untyped = createTest as (options: object) => unknown

it.each([
  [{ nope: 1 }, 'createTest has no option nope here.'],
  [{ clock: 'manual' }, 'no option clock here. It takes { serverOptions }'],
  [
    { keyOptions: {} },
    'no option keyOptions here. It takes { serverOptions }, for a server of each test, or { server, keyOptions }',
  ],
  [{ server: createReferenceServer(), serverOptions: {} }, 'no option serverOptions here'],
])('createTest rejects options that it does not have: %#', (options, message) => {
  expect(() => untyped(options)).toThrow(TypeError)
  expect(() => untyped(options)).toThrow(message)
})

it.each([
  {},
  { inbox: () => ({}) },
  { serverOptions: {} },
  { serverOptions: undefined },
  { server: createReferenceServer() },
])('createTest takes the options that it has: %#', (options) => expect(createTest(options)).toBeTypeOf('function'))
