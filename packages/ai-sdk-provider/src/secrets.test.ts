import { inspect } from 'node:util'
import { generateImage, generateSpeech } from 'ai'
import { ModelRun } from 'modelrun'
import { describe, expect, it } from 'vitest'
import { KINDS, setup } from '../test/harness.ts'
import { createModelRun } from './provider.ts'

const apiKey = 'sk_test_this_key_must_stay_secret'
const everything = { depth: 20, showHidden: true, getters: true } as const

function texts(value: unknown): string {
  return [JSON.stringify(value), String(value), inspect(value, everything)].join('\n')
}

describe('the API key', () => {
  it.each(['image', 'video', 'speech'] as const)('is in no text of the provider and of a model for %s', (kind) => {
    const client = new ModelRun({ apiKey, baseUrl: 'https://api.example.com' })
    const modelrun = createModelRun({ client })
    expect(texts([modelrun, modelrun[kind]('a')])).not.toContain(apiKey)
  })

  it.each(Object.entries(KINDS))('is in no error of a call for %s', async (_kind, { call }) => {
    for (const fault of [
      { kind: 'reset', when: 'after' },
      { kind: 'bad-gateway', when: 'after' },
    ] as const) {
      const one = setup()
      one.server.faults.add({ ...fault, route: 'runModel' })
      const [outcome] = await Promise.allSettled([call(one)])
      const error = outcome?.status === 'rejected' ? outcome.reason : undefined
      expect(error).toBeInstanceOf(Error)
      expect(texts(error)).not.toContain(one.server.clientOptions().apiKey)
    }
  })

  it('is in no result and no event of telemetry', async () => {
    const one = setup()
    const events: unknown[] = []
    const record = async (event: unknown) => void events.push(event)
    const integrations = [{ onStart: record, onEnd: record }]
    const speech = await generateSpeech({
      model: one.modelrun.speech('vocalis/narrator'),
      text: 'hello',
      telemetry: { integrations },
    })
    const image = await generateImage({ model: one.modelrun.image('aurora-image'), prompt: 'a fox' })
    expect(events.length).toBeGreaterThan(0)
    expect(texts([events, speech, image])).not.toContain(one.server.clientOptions().apiKey)
  })
})
