import { expect, it } from 'vitest'
import { createReferenceServer } from '../reference-server.ts'
import { createTest } from './create-test.ts'

it.each([{}, { serverOptions: {} }, { serverOptions: undefined }, { server: createReferenceServer() }])(
  'createTest takes the options that it has: %#',
  (options) => expect(createTest(options)).toBeTypeOf('function'),
)
