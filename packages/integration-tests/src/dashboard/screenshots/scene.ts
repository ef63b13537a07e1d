import { ModelRun } from 'modelrun'
import type { Served } from '../kit.ts'

/**
 * What the image shows: a run, a poll whose response is lost and that is sent again, and a duplicate delivery.
 *
 * @returns the job of the sequence diagram
 */
export async function playScene({ server, url }: Served): Promise<string> {
  const client = new ModelRun({ apiKey: server.apiKey, baseUrl: url, clock: server.clock, maxRetries: 0 })
  const { clock } = server
  const webhook = { webhookUrl: 'https://app.test/hooks/modelrun' }
  server.webhooks.deliver(() => new Response(null, { status: 204 }))
  server.script('aurora-image', [{ result: 'succeeded', webhook: { deliveries: 2, gap_ms: 900 } }])
  const prompt = 'a lighthouse at dawn'
  const job = await client.submit('aurora-image', { prompt }, webhook)
  await clock.advance(700)
  await job.get()
  server.faults.add({ kind: 'reset', route: 'getJob', times: 1, when: 'after' })
  await clock.advance(900)
  await job.get().catch(() => {})
  await clock.advance(300)
  await job.get()
  await clock.advance(6_000)
  return job.id
}
