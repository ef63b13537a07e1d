import { describe, test } from 'vitest'
import { type Checks, positive, readOptions, text, unchecked } from './checks.ts'

interface Options {
  name: string
  timeoutMs?: number | undefined
}

describe('the checks of an options object', () => {
  test('have one for each member, those included that may be left out', () => {
    const checks: Checks<Options> = { name: text, timeoutMs: positive }
    readOptions('open', { name: 'x' }, checks)
    // @ts-expect-error: a member that is added must be checked
    const withoutOne: Checks<Options> = { name: text }
    // @ts-expect-error: a member that is removed must not be
    const withAnother: Checks<Options> = { name: text, timeoutMs: positive, maxRetries: unchecked }
    readOptions('open', { name: 'x' }, withoutOne)
    readOptions('open', { name: 'x' }, withAnother)
  })
})
