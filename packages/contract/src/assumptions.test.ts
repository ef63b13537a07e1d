import { describe, expect, it } from 'vitest'
import { ASSUMPTION_NOTES, assumptionsSchema, DEFAULT_ASSUMPTIONS } from './assumptions.ts'

describe('assumption notes', () => {
  it('name each setting exactly once', () => {
    const settings = ASSUMPTION_NOTES.flatMap((note) => note.setting ?? [])
    expect(settings.toSorted()).toEqual(Object.keys(DEFAULT_ASSUMPTIONS).toSorted())
  })

  it('name a section of the specification each, and no question twice', () => {
    for (const note of ASSUMPTION_NOTES) expect(note.section).toMatch(/^[2-9](\.\d)?$/)
    expect(new Set(ASSUMPTION_NOTES.map(({ question }) => question)).size).toBe(ASSUMPTION_NOTES.length)
  })
})

describe('assumptions', () => {
  it.each([
    [{ failedSyncRunStatus: 199 }],
    [{ failedSyncRunStatus: 204 }],
    [{ failedSyncRunStatus: 205 }],
    [{ failedSyncRunStatus: 304 }],
    [{ cancelStatus: 201 }],
    [{ unknownModel: { status: 200, code: 'OK' } }],
    [{ cancelOfFinishedJob: 'ignored' }],
    [{ deliveriesOfOneResult: 101 }],
    [{ checkOrder: [] }],
  ])('do not include %j', (settings) => {
    expect(assumptionsSchema.safeParse(settings).success).toBe(false)
  })

  it('include every rejection of an error, and the acceptance of a cancel', () => {
    const settings = { wrongRequest: { status: 422, code: 'WRONG' }, cancelOfUnknownJob: 'accepted' } as const
    expect(assumptionsSchema.parse(settings)).toEqual({ ...DEFAULT_ASSUMPTIONS, ...settings })
  })
})
