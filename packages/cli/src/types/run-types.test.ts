import type { CatalogModel } from '@modelrun/reference-server'
import { describe, expect, it } from 'vitest'
import { createTypesHarness, type TypesHarness } from '../../test/types/types-harness.ts'

const FILE = 'modelrun.models.d.ts'

describe('modelrun types', () => {
  it('writes the models that are named, and without names those that the file has', async () => {
    const harness = createTypesHarness()
    const { code, stdout, stderr } = await harness.run({ ids: ['vocalis/narrator', 'aurora-image'] })
    expect([code, stdout, stderr]).toEqual([0, '', `${FILE}: 2 models, written.\n`])
    const own = harness.text.match(/^ {4}'.*': \{$/gm)
    expect(own).toEqual(["    'aurora-image': {", "    'vocalis/narrator': {"])
    harness.text = harness.text.replace('4 credits', '3 credits')
    expect((await harness.run()).stderr).toBe(`${FILE}: 2 models, written.\n`)
    expect(harness.text).toContain('4 credits')
  })

  it('writes a text for each hover: description, default, bounds, price', async () => {
    const harness = createTypesHarness()
    await harness.run({ ids: ['aurora-image'] })
    expect(harness.text).toMatch(
      /Draws detailed images.*text-to-image by Lumen, 4 credits per run\..*'aurora-image': \{/s,
    )
    expect(harness.text).toMatch(
      /How many images to draw\..*1 to 4\..*@default 1\n.*num_images\?: 1 \| 2 \| 3 \| 4 \| undefined\n/s,
    )
  })

  it('leaves a file alone that has the text already', async () => {
    const harness = createTypesHarness()
    await harness.run({ ids: ['aurora-image', 'kinora/reel-pro'] })
    harness.catalog.reverse()
    expect((await harness.run({ ids: ['kinora/reel-pro', 'aurora-image'] })).stderr).toContain('unchanged')
  })

  it('writes every model with --all, and allows other ids with --open', async () => {
    const harness = createTypesHarness()
    await harness.run({ all: true })
    for (const { id } of harness.catalog) expect(harness.text).toContain(id)
    expect(harness.text).toContain('onlyListedModels: true')
    await harness.run({ open: true })
    expect(harness.text).not.toContain('onlyListedModels')
  })

  it.for<[string, Parameters<TypesHarness['run']>[0], string, string?]>([
    ['an id that there is not', { ids: ['aurora-imag'] }, 'There is no model aurora-imag. Did you mean aurora-image?'],
    ['no id and no file', {}, 'Name the models: modelrun types <id>…, or --all.'],
    ['ids and --all', { ids: ['aurora-image'], all: true }, 'not both'],
    ['a file of another kind', { ids: ['aurora-image'], out: 'models.json' }, 'must end in .d.ts'],
    ['--check without a file', { check: true }, 'not a file of modelrun types'],
    ['the source of a program', { ids: ['aurora-image'] }, 'not a file of modelrun types', 'start()'],
  ])('writes nothing for %s, with exit code 2', async ([, options, message, source = '']) => {
    const harness = createTypesHarness()
    harness.text = source
    const { code, stdout, stderr } = await harness.run(options)
    expect([code, stdout, harness.text]).toEqual([2, '', source])
    expect(stderr).toContain(message)
  })
})

describe('modelrun types --check', () => {
  const edit = (from: string, to: string) => (_: CatalogModel, harness: TypesHarness) => {
    harness.text = harness.text.replaceAll(from, to)
  }

  it.for<[string, (aurora: CatalogModel, harness: TypesHarness) => void, number, string]>([
    ['nothing changed', () => {}, 0, ''],
    ['another order', ({ input_schema }) => input_schema.properties.image_size?.enum?.reverse(), 0, ''],
    ['another description', (aurora) => Object.assign(aurora, { description: 'Now */ faster' }), 0, ''],
    ['the line ends of Windows', edit('\n', '\r\n'), 0, ''],
    ['what a file of 0.1.0 has more', edit('"credits":4}', '"credits":4,"hash":"","parameters":[]}'), 0, ''],
    ['another parameter', (aurora) => delete aurora.input_schema.properties.image_size, 1, ': its parameters changed'],
    ['another price', ({ pricing }) => Object.assign(pricing, { credits_per_run: 6 }), 1, ': a run costs 6 credits'],
    ['a model that is gone', (_, harness) => void harness.catalog.shift(), 1, '- aurora-image: the model is not in'],
    ['types that were edited', edit('prompt: string', 'prompt?: string'), 1, ', or were edited'],
    ['a file of another program', edit('made by', 'of'), 2, ''],
  ])('of %s exits with the code and the line for it', async ([, change, expected, line]) => {
    const harness = createTypesHarness()
    await harness.run({ ids: ['aurora-image', 'kinora/reel-pro'] })
    change(harness.catalog.find(({ id }) => id === 'aurora-image') as CatalogModel, harness)
    const { text } = harness
    const { code, stdout } = await harness.run({ check: true })
    expect([code, harness.text === text]).toEqual([expected, true])
    expect(stdout).toContain(line)
    expect(stdout === '').toBe(line === '')
  })

  it('names a model that is asked for, and the file has not', async () => {
    const harness = createTypesHarness()
    await harness.run({ ids: ['aurora-image'] })
    const { code, stdout } = await harness.run({ check: true, ids: ['tidepool/score'] })
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('\n+ tidepool/score: the model is not in the file yet\n'),
    ])
  })
})
