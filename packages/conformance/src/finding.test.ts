import { expect, it } from 'vitest'
import { every, fail, pass, skip } from './finding.ts'

it('many findings fail with every different failure, and say how often', () => {
  const two = every([pass('one', []), fail('two', []), fail('three', [])])
  expect(two).toMatchObject({ verdict: 'fail', detail: 'two; three' })
  const many = every(['a', 'a', 'b', 'c', 'd'].map((detail) => fail(detail, [])))
  expect(many).toMatchObject({ verdict: 'fail', detail: 'a; b; c (5 times in all)' })
})

it('many findings pass with what was judged, and are skipped when nothing was', () => {
  const one = every([skip('nothing here'), pass('right', []), pass('right too', [])])
  expect(one).toMatchObject({ verdict: 'pass', detail: 'right' })
  expect(every([skip('nothing here'), skip('nor there')])).toMatchObject({ verdict: 'skipped', detail: 'nothing here' })
  expect(every([])).toMatchObject({ verdict: 'skipped', detail: 'there was nothing to judge' })
})
