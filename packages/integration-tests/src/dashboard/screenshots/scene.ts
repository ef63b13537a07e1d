import type { ReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import type { Served } from '../kit.ts'

/**
 * What the pictures show: a run whose first attempt is rejected, a poll whose response is lost, a duplicate delivery,
 * and jobs in every state.
 *
 * @returns the job of the sequence diagram
 */
export async function playScene({ server, url }: Served): Promise<string> {
  const client = new ModelRun({ apiKey: server.apiKey, baseUrl: url, clock: server.clock, maxRetries: 0 })
  const { clock } = server
  const webhook = { webhookUrl: 'https://app.test/hooks/modelrun' }
  server.webhooks.deliver(() => new Response(null, { status: 204 }))
  await playOthers(server, client)
  server.script('aurora-image', [{ result: 'succeeded', webhook: { deliveries: 2, gap_ms: 900 } }])
  server.faults.add({ kind: 'unavailable', route: 'runModel', times: 1, retry_after: 1 })
  const prompt = 'a lighthouse at dawn'
  await client.submit('aurora-image', { prompt }, webhook).catch(() => {})
  await clock.advance(1_000)
  const job = await client.submit('aurora-image', { prompt }, webhook)
  await clock.advance(700)
  await job.get()
  server.faults.add({ kind: 'reset', route: 'getJob', times: 1, when: 'after' })
  await clock.advance(900)
  await job.get().catch(() => {})
  await clock.advance(300)
  await job.get()
  await clock.advance(6_000)
  server.faults.add({ kind: 'rate-limit', route: 'listModels', probability: 0.3 })
  await client.submit('kinora/reel-pro', { prompt: 'waves against the rocks' })
  await client.submit('lumen/aurora-video', { prompt: 'a harbour in the rain' }, webhook)
  await clock.advance(1_500)
  await client.submit('aurora-image', { prompt: 'a red fox' }, webhook)
  await client.submit('aurora-image', { promt: 'a misspelt parameter' }).catch(() => {})
  await fetch(`${url}/v1/modles`, { headers: { authorization: `Bearer ${server.apiKey}` } })
  await clock.advance(500)
  return job.id
}

/** Jobs for the list. */
async function playOthers(server: ReferenceServer, client: ModelRun): Promise<void> {
  const runs: [model: string, input: Record<string, unknown>][] = [
    ['inkfield/poster-2', { prompt: 'a jazz night' }],
    ['vocalis/narrator', { text: 'The tide is coming in.' }],
    ['lumen/aurora-image-swift', { prompt: 'a kite' }],
    ['tidepool/foley', { prompt: 'steps on gravel' }],
    ['aurora-image', { prompt: 'a fishing boat' }],
  ]
  for (const [index, [model, input]] of runs.entries()) {
    const job = await client.submit(model, input, { webhookUrl: 'https://app.test/hooks/modelrun' })
    await server.clock.advance(240)
    if (index === 1) server.job(job.id).fail('PROVIDER_FAILURE', 'The voice is not available.')
    if (index === 3) await job.cancel()
    await server.clock.advance(9_000)
  }
}
