import { generateImage, generateSpeech } from 'ai'
import { ModelRun } from 'modelrun'
import { describe, expect, it } from 'vitest'
import { setup, texts } from '../test/harness.ts'
import { createModelRun } from './provider.ts'

const apiKey = 'sk_test_this_key_must_stay_secret'

describe('the API key', () => {
  it.each(['image', 'video', 'speech'] as const)('is in no text of the provider and of a model for %s', (kind) => {
    const client = new ModelRun({ apiKey, baseUrl: 'https://api.example.com' })
    const modelrun = createModelRun({ client })
    expect(texts([modelrun, modelrun[kind]('a')])).not.toContain(apiKey)
  })

  it('is in no result and no event of telemetry', async () => {
    const one = setup()
    const events: unknown[] = []
    const record = async (event: unknown) => void events.push(event)
    const telemetry = { integrations: [{ onStart: record, onEnd: record }] }
    const speech = await generateSpeech({ model: one.modelrun.speech('vocalis/narrator'), text: 'hello', telemetry })
    const image = await generateImage({ model: one.modelrun.image('aurora-image'), prompt: 'a fox' })
    expect(events.length).toBeGreaterThan(0)
    expect(texts([events, speech, image])).not.toContain(one.server.clientOptions().apiKey)
  })
})
