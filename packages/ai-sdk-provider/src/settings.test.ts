import { InvalidArgumentError } from '@ai-sdk/provider'
import { createReferenceServer } from '@modelrun/reference-server'
import { type Model, ModelRun } from 'modelrun'
import { describe, expect, it } from 'vitest'
import { PNG, setup } from '../test/harness.ts'

const png = { type: 'file', mediaType: 'image/png', data: PNG } as const
const web = { type: 'url', url: 'https://pictures.example.com/fox.png' } as const

/** Values of every setting of the AI SDK, by the kind of a model. */
const IMAGE = {
  prompt: ['a fox'],
  n: [1, 2, 5],
  size: ['1024x1024', '1600x900', '123x77'],
  aspectRatio: ['1:1', '16:9', '3:4', '7:3'],
  seed: [0, 7],
  files: [[png], [web], [png, web]],
  mask: [png],
}
const VIDEO = {
  prompt: ['waves'],
  n: [1, 2],
  aspectRatio: ['16:9', '7:3', 'adaptive'],
  resolution: ['1280x720'],
  duration: [5, 4.5, 60],
  fps: [24],
  seed: [0],
  image: [png, web],
  frameImages: [[{ frameType: 'first_frame', image: web }], [{ frameType: 'last_frame', image: web }]],
  inputReferences: [[web]],
  generateAudio: [true, false],
}
const SPEECH = {
  text: ['hello'],
  voice: ['bruno', 'nobody'],
  outputFormat: ['mp3'],
  instructions: ['slowly'],
  speed: [1.5, 9],
  language: ['en'],
}
const KINDS: Record<string, [kind: 'image' | 'video' | 'speech', Record<string, readonly unknown[]>]> = {
  'text-to-image': ['image', IMAGE],
  'image-to-image': ['image', IMAGE],
  'text-to-video': ['video', VIDEO],
  'text-to-speech': ['speech', SPEECH],
  'audio-generation': ['speech', SPEECH],
}

const catalog: Model[] = []
const client = new ModelRun(createReferenceServer({ clock: 'auto' }).clientOptions())
for await (const { id } of client.models.list()) catalog.push(await client.models.get(id))

/** What a model needs, in the words of the AI SDK. */
function neededBy({ category, input_schema: { required = [] } }: Model): Record<string, unknown> {
  const text =
    KINDS[category]?.[0] === 'speech' ? { text: 'hello' } : required.includes('prompt') && { prompt: 'a fox' }
  return { n: 1, ...text, ...(required.includes('image_url') && { files: [web] }) }
}

interface Outcome {
  inputs: Record<string, unknown>[]
  warnings: { type: string; feature?: string; details?: string }[]
  error?: unknown
}

async function callModel({ id, category }: Model, settings: object): Promise<Outcome> {
  const { server, modelrun } = setup({}, {}, { hasRealFiles: false })
  const [kind] = KINDS[category] ?? ['image']
  const model: { doGenerate?: (options: never) => PromiseLike<Pick<Outcome, 'warnings'>> } = modelrun[kind](id)
  const [outcome] = await Promise.allSettled([model.doGenerate?.(settings as never)])
  const inputs = server.journal.entries({ kind: 'request' }).flatMap((entry) => {
    return entry.kind === 'request' && entry.route === 'runModel' ? [JSON.parse(entry.requestBody ?? '').input] : []
  })
  if (outcome?.status === 'rejected') return { inputs, warnings: [], error: outcome.reason }
  return { inputs, warnings: outcome?.value?.warnings ?? [] }
}

/** Whether what was sent depends on the value. */
async function isApplied(model: Model, name: string, settings: Record<string, unknown>): Promise<boolean> {
  const { [name]: _, ...others } = settings
  const [without, withIt] = [await callModel(model, others), await callModel(model, settings)]
  return JSON.stringify(without.inputs) !== JSON.stringify(withIt.inputs) || without.error !== undefined
}

const cases = catalog.flatMap((model) =>
  Object.entries(KINDS[model.category]?.[1] ?? {}).flatMap(([name, values]) =>
    values.map((value) => ({ model, name, value, text: describeValue(value) })),
  ),
)

function describeValue(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value, (key, one) => (key === 'data' ? '…' : one)) : String(value)
}

describe('every setting of the AI SDK', () => {
  it.each(cases)('$model.id: $name $text is applied, warned about or rejected', async ({ model, name, value }) => {
    const settings = { ...neededBy(model), [name]: value }
    const { inputs, warnings, error } = await callModel(model, settings)
    const warning = warnings.find(({ feature }) => feature === (name === 'frameImages' ? 'lastFrame' : name))
    if (error !== undefined) {
      expect(InvalidArgumentError.isInstance(error), String(error)).toBe(true)
      expect(inputs).toEqual([])
    } else if (warning?.type === 'unsupported') {
      expect(warning.details).toMatch(new RegExp(`of ${model.id}|^${model.id} has no parameter`))
      expect(JSON.stringify(inputs)).not.toContain(JSON.stringify(value))
    } else if (!(name === 'n' && value === 1)) {
      expect(await isApplied(model, name, settings)).toBe(true)
    }
  })

  it('knows all models of the reference server', () => {
    expect(catalog).toHaveLength(13)
  })
})

describe('a setting', () => {
  const modelOf = (id: string) => catalog.find((model) => model.id === id) as Model
  const aurora = modelOf('aurora-image')

  it('gets a name of the same shape, where a model has no sizes in pixels', async () => {
    const { inputs, warnings } = await callModel(aurora, { prompt: 'x', n: 1, size: '1600x900' })
    expect(inputs).toEqual([{ prompt: 'x', image_size: 'landscape_16_9', num_images: 1 }])
    expect(warnings).toMatchObject([{ type: 'compatibility', feature: 'size' }])
  })

  it('of a later version of the AI SDK is warned about', async () => {
    const { warnings } = await callModel(aurora, { prompt: 'x', n: 1, quality: 'high' })
    expect(warnings).toMatchObject([{ type: 'unsupported', feature: 'quality' }])
  })

  it('does not replace a parameter of providerOptions', async () => {
    const providerOptions = { modelrun: { image_size: 'square', num_images: 2 } }
    const { inputs, warnings } = await callModel(aurora, { prompt: 'x', n: 1, aspectRatio: '16:9', providerOptions })
    expect(inputs).toEqual([{ prompt: 'x', image_size: 'square', num_images: 2 }])
    expect(warnings).toEqual([
      { type: 'unsupported', feature: 'aspectRatio', details: 'the parameter image_size is already "square".' },
    ])
  })

  const options = (parameters: object) => ({ prompt: 'x', n: 3, providerOptions: { modelrun: parameters } })
  const large = Uint8Array.from({ length: 800_000 }, (_, index) => PNG[index] ?? 0)
  it.for([
    ['of a parameter that does not exist', aurora, options({ image_sise: 'square' }), /did you mean image_size/],
    ['of a limit by another name', aurora, options({ max_credits: 1 }), /max_credits: nothing reads it/],
    ['of another spelling', aurora, { n: 1, providerOptions: { modelRun: {} } }, /modelRun: nothing reads it/],
    ['of a value that is not allowed', aurora, options({ image_size: 'huge' }), /must be one of/],
    ['of a number of files beside `n`', aurora, options({ num_images: 2 }), /num_images/],
    [
      'that is a file that is too large',
      modelOf('pixelwright/upscale'),
      { n: 1, files: [{ ...png, data: large }] },
      /^files/,
    ],
  ] as const)('%s is rejected', async ([, model, settings, message]) => {
    const { inputs, error } = await callModel(model, settings)
    expect(error).toMatchObject({ name: 'AI_InvalidArgumentError', message: expect.stringMatching(message) })
    expect(inputs).toEqual([])
  })
})
