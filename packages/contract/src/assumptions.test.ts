import { describe, expect, it } from 'vitest'
import { ASSUMPTION_NOTES, DEFAULT_ASSUMPTIONS } from './assumptions.ts'

describe('assumption notes', () => {
  it('name each switch exactly once', () => {
    const switches = ASSUMPTION_NOTES.flatMap((note) => note.switch ?? [])
    const { rejections, ...others } = DEFAULT_ASSUMPTIONS
    expect(switches.toSorted()).toEqual(Object.keys(others).toSorted())
    const noted = ASSUMPTION_NOTES.flatMap((note) => note.rejections ?? [])
    expect(noted.toSorted()).toEqual(Object.keys(rejections).toSorted())
  })

  it('name a section of the specification each, and no question twice', () => {
    for (const note of ASSUMPTION_NOTES) expect(note.section).toMatch(/^[2-9](\.\d)?$/)
    expect(new Set(ASSUMPTION_NOTES.map(({ question }) => question)).size).toBe(ASSUMPTION_NOTES.length)
  })

  it('have a name each, that of their switch where they have one', () => {
    const names = ASSUMPTION_NOTES.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const note of ASSUMPTION_NOTES) {
      expect(note.name).toMatch(/^[a-z][a-zA-Z]+$/)
      if (note.switch !== undefined) expect(note.name).toBe(note.switch)
      else expect(DEFAULT_ASSUMPTIONS).not.toHaveProperty(note.name)
    }
  })

  it('offer an alternative wherever there is a switch', () => {
    for (const note of ASSUMPTION_NOTES.filter((one) => one.switch !== undefined)) {
      expect(note.alternatives).not.toEqual([])
    }
  })
})
