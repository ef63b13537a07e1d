import { MODEL_CATEGORIES, modelSummarySchema } from '@modelrun/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_CATALOG } from './catalog.ts'
import { listModels } from './list-models.ts'

const ids = (filter: Partial<Parameters<typeof listModels>[1]>) =>
  listModels(DEFAULT_CATALOG, { limit: 100, offset: 0, ...filter }).models.map(({ id }) => id)

describe('list of models', () => {
  it('shows the fields of the list and no input_schema (section 4.1)', () => {
    const { models } = listModels(DEFAULT_CATALOG, { limit: 100, offset: 0 })
    for (const model of models) {
      expect(Object.keys(model)).toEqual(Object.keys(modelSummarySchema.shape))
    }
  })

  it('filters by category (section 4.1)', () => {
    for (const category of MODEL_CATEGORIES) {
      const expected = DEFAULT_CATALOG.filter((model) => model.category === category).map(({ id }) => id)
      expect(expected).not.toEqual([])
      expect(ids({ category })).toEqual(expected)
    }
  })

  it('searches name and description, whatever the letter case (section 4.1)', () => {
    const catalog = DEFAULT_CATALOG.slice(0, 3).map((model, index) => ({
      ...model,
      name: index === 0 ? 'Zebra Painter' : 'Plain',
      description: index === 1 ? 'Draws every ZEBRA.' : 'Nothing.',
    }))
    const found = listModels(catalog, { search: 'zeBRa', limit: 10, offset: 0 })
    expect(found.models.map(({ name, description }) => [name, description])).toEqual([
      ['Zebra Painter', 'Nothing.'],
      ['Plain', 'Draws every ZEBRA.'],
    ])
    expect(found.total).toBe(2)
  })

  it('cuts pages that join to the whole list, with the total on each (section 4.1)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), (limit) => {
        const pages = Array.from({ length: Math.ceil(DEFAULT_CATALOG.length / limit) }, (_, page) =>
          listModels(DEFAULT_CATALOG, { limit, offset: page * limit }),
        )
        expect(pages.flatMap(({ models }) => models.map(({ id }) => id))).toEqual(DEFAULT_CATALOG.map(({ id }) => id))
        for (const page of pages) expect(page).toMatchObject({ total: DEFAULT_CATALOG.length, limit })
      }),
    )
  })

  it('is empty past the end', () => {
    expect(listModels(DEFAULT_CATALOG, { limit: 20, offset: 1_000 })).toMatchObject({
      models: [],
      total: DEFAULT_CATALOG.length,
      offset: 1_000,
    })
  })
})
