import { expect, it } from 'vitest'
import { every, fail, pass, skip } from './finding.ts'

it('many findings fail with the first failure', () => {
  expect(every([pass('one', []), fail('two', []), fail('three', [])])).toMatchObject({ verdict: 'fail', detail: 'two' })
})

it('many findings pass with what was judged, and are skipped when nothing was', () => {
  const one = every([skip('nothing here'), pass('right', []), pass('right too', [])])
  expect(one).toMatchObject({ verdict: 'pass', detail: 'right (and 1 more)' })
  expect(every([skip('nothing here'), skip('nor there')])).toMatchObject({ verdict: 'skipped', detail: 'nothing here' })
  expect(every([])).toMatchObject({ verdict: 'skipped', detail: 'there was nothing to judge' })
})
