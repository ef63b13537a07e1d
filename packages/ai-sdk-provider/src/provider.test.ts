import { createProviderRegistry, generateImage, generateSpeech, wrapImageModel } from 'ai'
import { describe, expect, it } from 'vitest'
import { setup } from '../test/harness.ts'
import { createModelRun } from './provider.ts'

describe('createModelRun', () => {
  it('needs no key until a call', async () => {
    const modelrun = createModelRun({ client: { apiKey: '', baseUrl: 'https://api.example.com' } })
    const call = generateImage({ model: modelrun.image('aurora-image'), prompt: 'a fox' })
    await expect(call).rejects.toThrow(/API key is missing|API key is empty/)
  })

  it.each([
    [{ durabel: {} }, 'durabel: createModelRun has no such option; the options are client, durable'],
    [{ durable: {} }, 'durable: it must be'],
    [{ onAbort: 'stop' }, "onAbort: it must be 'cancel' or"],
    [{ videoFiles: 'URL' }, 'videoFiles: it must be'],
    [{ deadlineMs: Number.NaN }, 'deadlineMs: it must be'],
  ])('rejects an option that it does not read: %j', (options: object, message) => {
    expect(() => createModelRun(options)).toThrow(message)
  })

  it('works in a registry and behind middleware', async () => {
    const one = setup()
    const registry = createProviderRegistry({ modelrun: one.modelrun })
    const model = wrapImageModel({
      model: registry.imageModel('modelrun:aurora-image'),
      middleware: { specificationVersion: 'v4', transformParams: async ({ params }) => ({ ...params, n: 2 }) },
    })
    const { images } = await generateImage({ model, prompt: 'a fox' })
    expect(images).toHaveLength(2)
    expect(registry.videoModel('modelrun:lumen/aurora-video').modelId).toBe('lumen/aurora-video')
  })

  it.each([
    ['a model of another kind', 'lumen/aurora-video', /is a text-to-video model, so it is a `videoModel`/],
    ['a model that does not exist', 'aurora-imagee', /aurora-imagee/],
  ])('has no image model for %s', async (_title, id, message) => {
    const one = setup()
    const call = generateImage({ model: one.modelrun.image(id), prompt: 'a fox' })
    await expect(call).rejects.toMatchObject({ name: 'AI_NoSuchModelError', message: expect.stringMatching(message) })
    expect(one.posts()).toBe(0)
  })

  it.each(['languageModel', 'embeddingModel'] as const)('has no %s', (kind) => {
    expect(() => createModelRun()[kind]('a')).toThrow(`no \`${kind}\``)
  })

  it('reads the description of a model once, and shares no read under way: its key is that of one caller', async () => {
    const one = setup()
    const speak = () => generateSpeech({ model: one.modelrun.speech('tidepool/foley'), text: 'rain' })
    await Promise.all([speak(), speak()])
    await speak()
    expect(one.server.journal.text().match(/GET \/v1\/models\//g)).toHaveLength(2)
  })
})
