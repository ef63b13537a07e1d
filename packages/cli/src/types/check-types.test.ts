import type { CatalogModel } from '@modelrun/reference-server'
import { describe, expect, it } from 'vitest'
import { createTypesHarness, type TypesHarness } from '../../test/types/types-harness.ts'

const FILE = 'modelrun.models.d.ts'

/** A file of two models, and the catalog after it was written. */
async function afterChange(change: (aurora: CatalogModel, harness: TypesHarness) => void): Promise<TypesHarness> {
  const harness = createTypesHarness()
  await harness.run({ ids: ['aurora-image', 'kinora/reel-pro'] })
  change(harness.catalog.find(({ id }) => id === 'aurora-image') as CatalogModel, harness)
  return harness
}

describe('modelrun types --check', () => {
  it.each<[string, (aurora: CatalogModel, harness: TypesHarness) => void, string]>([
    [
      'a removed parameter',
      ({ input_schema }) => delete input_schema.properties.image_size,
      '  - image_size: the parameter was removed (breaking)',
    ],
    [
      'an added parameter',
      ({ input_schema }) => Object.assign(input_schema.properties, { seed: { type: 'integer' } }),
      '  + seed: optional, new',
    ],
    [
      'an added parameter that is required',
      ({ input_schema }) => {
        input_schema.properties.style = { type: 'string' }
        input_schema.required?.push('style')
      },
      '  + style: required, new (breaking)',
    ],
    [
      'another default',
      ({ input_schema }) => Object.assign(input_schema.properties.image_size ?? {}, { default: 'square' }),
      '  ~ image_size: default "square_hd" -> "square"',
    ],
    [
      'another bound',
      ({ input_schema }) => Object.assign(input_schema.properties.num_images ?? {}, { maximum: 8 }),
      '  ~ num_images: maximum 4 -> 8',
    ],
    [
      'a bound that is gone',
      ({ input_schema }) => delete input_schema.properties.num_images?.minimum,
      '  ~ num_images: minimum 1 -> none',
    ],
    [
      'another price',
      (aurora) => Object.assign(aurora.pricing, { credits_per_run: 6 }),
      '  ~ price: 4 -> 6 credits per run',
    ],
    [
      'another type',
      ({ input_schema }) => Object.assign(input_schema.properties.prompt ?? {}, { type: ['string', 'null'] }),
      '  ~ prompt: type string -> null or string',
    ],
    ['another need', ({ input_schema }) => delete input_schema.required, '  ~ prompt: required -> optional'],
    [
      'a value that is gone',
      ({ input_schema }) => input_schema.properties.image_size?.enum?.shift(),
      '  ~ image_size: without "square" (breaking)',
    ],
    [
      'a new value',
      ({ input_schema }) => input_schema.properties.image_size?.enum?.push('wide'),
      '  ~ image_size: also "wide"',
    ],
    [
      'values where there were none',
      ({ input_schema }) => Object.assign(input_schema.properties.prompt ?? {}, { enum: ['a', 'b'] }),
      '  ~ prompt: values none -> "a", "b"',
    ],
    ['a need that a default hides', ({ input_schema }) => input_schema.required?.push('num_images'), '  ~ schema: '],
  ])('exits with 1 and one line for %s', async (_, change, line) => {
    const harness = await afterChange(change)
    const { code, stdout } = await harness.run({ check: true })
    expect(code).toBe(1)
    const [title, model, ...lines] = stdout.trimEnd().split('\n')
    expect([title, model, lines.length]).toEqual([
      expect.stringContaining('differs from the catalog'),
      'aurora-image',
      1,
    ])
    expect(lines[0]).toContain(line)
    expect(harness.writes).toBe(1)
  })

  it('exits with 1 for a model that left the catalog', async () => {
    const harness = await afterChange((aurora, { catalog }) => void catalog.splice(catalog.indexOf(aurora), 1))
    const { code, stdout } = await harness.run({ check: true })
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('\n- aurora-image: the model is not in the catalog any more (breaking)\n'),
    ])
  })

  it('exits with 1 for a model that is named, and the file has not', async () => {
    const harness = await afterChange(() => {})
    const { code, stdout } = await harness.run({ check: true, ids: ['tidepool/score'] })
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('\n+ tidepool/score: the model is not in the file yet\n'),
    ])
  })

  it('exits with 1 for types that were edited by hand', async () => {
    const harness = await afterChange((_, { files }) =>
      files.set(FILE, (files.get(FILE) ?? '').replace('prompt: string', 'prompt?: string')),
    )
    const { code, stdout } = await harness.run({ check: true })
    expect([code, stdout]).toEqual([1, expect.stringContaining('was edited')])
  })

  it('exits with 2 for a file that it did not write', async () => {
    const harness = await afterChange((_, { files }) => files.set(FILE, 'export {}\n'))
    const { code, stderr } = await harness.run({ check: true })
    expect([code, stderr]).toEqual([2, expect.stringContaining('not a file of modelrun types')])
  })

  it.each<[string, (aurora: CatalogModel, harness: TypesHarness) => void]>([
    ['nothing changed', () => {}],
    [
      'the service lists things in another order',
      ({ input_schema }) => input_schema.properties.image_size?.enum?.reverse(),
    ],
    ['a description changed', (aurora) => Object.assign(aurora, { description: 'Now */ faster' })],
    [
      'git wrote the file with the line ends of Windows',
      (_, { files }) => files.set(FILE, (files.get(FILE) ?? '').replaceAll('\n', '\r\n')),
    ],
  ])('exits with 0 when %s', async (_, change) => {
    const harness = await afterChange(change)
    const { code, stdout } = await harness.run({ check: true })
    expect([code, stdout, harness.writes]).toEqual([0, '', 1])
  })

  it('takes the options that the file was written with', async () => {
    const harness = createTypesHarness()
    await harness.run({ all: true, open: true, out: 'models.ts' })
    expect(await harness.run({ check: true, all: true, open: true, out: 'models.ts' })).toMatchObject({ code: 0 })
    expect(await harness.run({ check: true, all: true, out: 'models.ts' })).toMatchObject({ code: 1 })
  })
})
