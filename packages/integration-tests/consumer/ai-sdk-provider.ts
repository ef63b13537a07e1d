// Without `ai`: its own types do not compile with `exactOptionalPropertyTypes` and without `skipLibCheck`.
import {
  createModelRun,
  type ModelRunProvider,
  type ModelRunProviderOptions,
  modelrun,
} from '@modelrun/ai-sdk-provider'
import { createRuns } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'

const client = new ModelRun()
const runs = createRuns({ engine: createSqliteEngine({ path: 'runs.db' }), client })

export const options: ModelRunProviderOptions[] = [
  {},
  { client },
  { client: { apiKey: 'sk_test_1' }, durable: runs },
  { webhook: createInbox({ client }), onAbort: 'detach', deadlineMs: 1_000, videoFiles: 'url' },
]

export async function program(provider: ModelRunProvider = modelrun): Promise<Uint8Array | string> {
  const { audio } = await provider.speech('a').doGenerate({ text: 'hello' })
  return audio
}

export const version: 'v4' = createModelRun().image('a').specificationVersion
