import { LIMITS, MODEL_CATEGORIES, modelSchema } from '@modelrun/contract'
import { describe, expect, it } from 'vitest'
import { DEFAULT_CATALOG } from './catalog.ts'
import { validateInput } from './validate-input.ts'

const modelById = (id: string) => DEFAULT_CATALOG.find((model) => model.id === id)

describe('the default catalog', () => {
  it('holds models of every category, each with an id of its own (sections 2.1 and 2.2)', () => {
    expect(DEFAULT_CATALOG.length).toBeGreaterThanOrEqual(12)
    expect(new Set(DEFAULT_CATALOG.map((model) => model.id)).size).toBe(DEFAULT_CATALOG.length)
    expect(new Set(DEFAULT_CATALOG.map((model) => model.category))).toEqual(new Set(MODEL_CATEGORIES))
    expect(new Set(DEFAULT_CATALOG.map((model) => model.provider)).size).toBeGreaterThan(3)
  })

  it.each(DEFAULT_CATALOG)('describes $id as the contract wants it (sections 2.1 and 2.3)', (model) => {
    expect(modelSchema.parse(model)).toEqual(model)
    expect(Number.isInteger(model.pricing.credits_per_run) && model.pricing.credits_per_run > 0).toBe(true)
    expect(model.latency_ms).toBeGreaterThanOrEqual(300)
    const { properties, required = [] } = modelSchema.parse(model).input_schema
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(required))
  })

  it.each(DEFAULT_CATALOG)('has defaults for $id that its own schema allows (section 2.3)', (model) => {
    const { required = [] } = model.input_schema
    const input = Object.fromEntries(required.map((name) => [name, 'https://files.example/source.png']))
    expect(validateInput(model.input_schema, input)).toMatchObject({ ok: true })
  })

  it('has the text-to-image model whose parameters the specification shows, and no other (section 2.3)', () => {
    expect(modelById('aurora-image')).toMatchObject({ category: 'text-to-image' })
    expect(modelById('aurora-image')?.input_schema).toMatchObject({
      properties: {
        prompt: { type: 'string' },
        image_size: { enum: ['square', 'square_hd', 'portrait_4_3', 'landscape_16_9'], default: 'square_hd' },
        num_images: { type: 'integer', minimum: 1, maximum: 4, default: 1 },
      },
      required: ['prompt'],
    })
    expect(Object.keys(modelById('aurora-image')?.input_schema.properties ?? {})).toHaveLength(3)
  })

  it('has video models on both sides of the synchronous wait (section 8)', () => {
    const videos = DEFAULT_CATALOG.filter((model) => model.category === 'text-to-video')
    expect(videos.filter((model) => model.latency_ms < LIMITS.syncWaitMs)).toHaveLength(1)
    expect(modelById('lumen/aurora-video')?.latency_ms).toBeGreaterThan(LIMITS.syncWaitMs)
  })
})
