import { describe, expect, it } from 'vitest'
import { createTypesHarness } from '../../test/types/types-harness.ts'

const FILE = 'modelrun.models.d.ts'

describe('modelrun types', () => {
  it('writes the models that are named, and without names those that the file has', async () => {
    const harness = createTypesHarness()
    const { code, stdout, stderr } = await harness.run({ ids: ['vocalis/narrator', 'aurora-image'] })
    expect([code, stdout, stderr]).toEqual([0, '', `${FILE}: 2 models, written.\n`])
    const own = harness.files.get(FILE)?.match(/^ {4}'.*': \{$/gm)
    expect(own).toEqual(["    'aurora-image': {", "    'vocalis/narrator': {"])
    harness.files.set(FILE, harness.files.get(FILE)?.replace('4 credits', '3 credits') ?? '')
    expect((await harness.run()).stderr).toBe(`${FILE}: 2 models, written.\n`)
    expect(harness.files.get(FILE)).toContain('4 credits')
  })

  it('writes a text for each hover: description, default, bounds, price', async () => {
    const harness = createTypesHarness()
    await harness.run({ ids: ['aurora-image'] })
    expect(harness.files.get(FILE)).toMatch(
      /Draws detailed images.*text-to-image by Lumen, 4 credits per run\..*Schema [0-9a-f]{16}\..*'aurora-image': \{/s,
    )
    expect(harness.files.get(FILE)).toMatch(
      /How many images to draw\..*From 1 to 4\..*@default 1\n.*num_images\?: 1 \| 2 \| 3 \| 4 \| undefined\n/s,
    )
  })

  it('leaves a file alone that has the text already', async () => {
    const harness = createTypesHarness()
    await harness.run({ ids: ['aurora-image', 'kinora/reel-pro'] })
    harness.catalog.reverse()
    const { code, stderr } = await harness.run({ ids: ['kinora/reel-pro', 'aurora-image'] })
    expect([code, harness.writes]).toEqual([0, 1])
    expect(stderr).toContain('unchanged')
  })

  it('writes every model with --all', async () => {
    const harness = createTypesHarness()
    await harness.run({ all: true, out: 'src/models.ts' })
    const text = harness.files.get('src/models.ts') ?? ''
    for (const { id } of harness.catalog) expect(text).toContain(id)
    expect(text).toContain('onlyListedModels: true')
  })

  it('leaves unlisted ids allowed with --open', async () => {
    const harness = createTypesHarness()
    await harness.run({ ids: ['aurora-image'], open: true })
    expect(harness.files.get(FILE)).not.toContain('onlyListedModels')
  })

  it.each([
    ['an id that there is not', { ids: ['aurora-imag'] }, 'There is no model aurora-imag; did you mean aurora-image?'],
    ['no id and no file', {}, 'Name the models: modelrun types <id>…, or --all.'],
    ['ids and --all', { ids: ['aurora-image'], all: true }, 'not both'],
    ['a file of another kind', { ids: ['aurora-image'], out: 'models.json' }, 'must end in .d.ts'],
    ['--check of data', { check: true, json: true }, 'cannot be used with --json'],
    ['--check without a file', { check: true }, 'There is no such file'],
  ])('writes nothing for %s, with exit code 2', async (_, options, message) => {
    const harness = createTypesHarness()
    const { code, stdout, stderr } = await harness.run(options)
    expect([code, stdout, harness.writes]).toEqual([2, '', 0])
    expect(stderr).toContain(message)
  })
})

describe('modelrun types --json', () => {
  it('prints one line: the models by id, with the schemas as the service sends them', async () => {
    const harness = createTypesHarness()
    const { code, stdout } = await harness.run({ ids: ['kinora/reel-pro', 'aurora-image'], json: true })
    const data = JSON.parse(stdout)
    expect([code, stdout.trim().split('\n').length, data.version]).toEqual([0, 1, 1])
    expect(Object.keys(data.models)).toEqual(['aurora-image', 'kinora/reel-pro'])
    const { input_schema } = harness.catalog.find(({ id }) => id === 'aurora-image') ?? {}
    expect(data.models['aurora-image']).toMatchObject({ input_schema, pricing: { credits_per_run: 4 } })
    expect(data.models['aurora-image'].hash).toMatch(/^[0-9a-f]{16}$/)
  })

  it('writes them into a file, by lines', async () => {
    const harness = createTypesHarness()
    const { stdout } = await harness.run({ ids: ['aurora-image'], json: true, out: 'models.json' })
    expect(stdout).toBe('')
    expect(JSON.parse(harness.files.get('models.json') ?? '').models['aurora-image'].name).toBe('Aurora Image')
  })
})
