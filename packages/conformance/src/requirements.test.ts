import { DEFAULT_ASSUMPTIONS } from '@modelrun/contract/assumptions'
import { expect, it } from 'vitest'
import { ALL_CHECKS, AREAS } from './judges/all-checks.ts'
import { REQUIREMENTS } from './requirements.ts'

const checkIds = ALL_CHECKS.map(({ id }) => id)

it('every statement has a check, and every check a statement', () => {
  const covered = REQUIREMENTS.map(({ check }) => check)
  expect(covered.filter((check) => !checkIds.includes(check))).toEqual([])
  expect(checkIds.filter((id) => !covered.includes(id))).toEqual([])
})

it('no id of a statement or check is there twice', () => {
  const ids = REQUIREMENTS.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(new Set(checkIds).size).toBe(checkIds.length)
})

it('every statement has its section in its id, and is one sentence', () => {
  for (const { id, section, statement } of REQUIREMENTS) {
    expect(id).toMatch(/^\d(\.\d)?-\d\d$/)
    expect(id.startsWith(`${section}-`)).toBe(true)
    expect(statement).toMatch(/^[A-Z].*[^.]\.$/)
  }
})

it('what is open is a setting of the reference server, but for those that nothing else is judged by', () => {
  const open = REQUIREMENTS.filter(({ level }) => level === 'open').map(({ check }) => check)
  const { queuedMs: _, cancelOfUnknownJob: __, ...observed } = DEFAULT_ASSUMPTIONS
  const settings = Object.keys(observed).map((name) => `settings/${name}`)
  expect(open.toSorted()).toEqual(settings.toSorted())
})

it('the statements are those of the file that is published', async () => {
  const { default: published } = await import('../requirements.json', { with: { type: 'json' } })
  expect(REQUIREMENTS).toEqual(published)
  expect(published.length).toBeGreaterThanOrEqual(90)
})

it('every section of the interface that states something is covered', () => {
  const sections = new Set(REQUIREMENTS.map(({ section }) => section))
  const expected = '1 2.1 2.2 2.3 2.4 2.5 3 4.1 4.2 4.3 4.4 4.5 5 6 7 8'.split(' ')
  expect([...sections]).toEqual(expected)
  expect(AREAS.length).toBeGreaterThan(10)
})
