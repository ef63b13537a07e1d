import { createModelRun } from '@modelrun/ai-sdk-provider'
import { createReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'

/** Calls models as the AI SDK does: two images, and one whose response is lost, which must not be paid twice. */
export async function useProvider() {
  const server = createReferenceServer({ clock: 'auto' })
  const creditsBefore = server.credits()
  const image = createModelRun({ client: new ModelRun(server.clientOptions()) }).image('aurora-image')
  const { images, warnings } = await image.doGenerate({ prompt: 'a fox', n: 2, seed: 7, providerOptions: {} })
  server.faults.add({ kind: 'reset', when: 'after', route: 'runModel' })
  const lost = await image.doGenerate({ prompt: 'a fox', n: 1, providerOptions: {} }).catch((error) => error)
  await server.clock.advance(60_000)
  return {
    images: images.map((bytes) => bytes.byteLength > 100),
    warned: warnings.map(({ feature }) => feature),
    lost: [lost.name, lost.isRetryable, lost.data?.submission],
    charged: creditsBefore - server.credits(),
    showsKey: JSON.stringify([image, lost]).includes(server.apiKey),
  }
}
