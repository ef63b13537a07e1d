import { generateImage, generateSpeech } from 'ai'
import { expect, it } from 'vitest'
import { setup, texts } from '../test/harness.ts'

it('the API key is in no text of the provider and of its models, no result and no event of telemetry', async () => {
  const one = setup()
  const events: unknown[] = []
  const record = async (event: unknown) => void events.push(event)
  const telemetry = { integrations: [{ onStart: record, onEnd: record }] }
  const speech = await generateSpeech({ model: one.modelrun.speech('vocalis/narrator'), text: 'hello', telemetry })
  const image = await generateImage({ model: one.modelrun.image('aurora-image'), prompt: 'a fox' })
  expect(events.length).toBeGreaterThan(0)
  const models = [one.modelrun, one.modelrun.image('a'), one.modelrun.video('a'), one.modelrun.speech('a')]
  expect(texts([models, events, speech, image])).not.toContain(one.server.clientOptions().apiKey)
})
