/** Lives through two runs of 90 s in `auto` time, over and over, and prints what that takes of real time. */
import { createReferenceServer } from '@modelrun/reference-server'

export interface AutoTimeResult {
  milliseconds: number
}

const WARM_UP = 100
const MEASURED = 300
const RUN_PATH = '/v1/models/lumen%2Faurora-video/run'

/** A run that is held for 55 s, gets 202 and is polled until it ends, beside one with a webhook. */
async function story(): Promise<void> {
  const server = createReferenceServer({ clock: 'auto' })
  server.webhooks.deliver(() => new Response())
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' }
  const run = async (options: object) => {
    const body = JSON.stringify({ input: { prompt: 'waves' }, ...options })
    const response = await server.fetch(RUN_PATH, { method: 'POST', headers, body })
    if (response.status !== 202) throw new Error(`The response is ${response.status}.`)
    return (await response.json()) as { job_id: string } // a 202
  }
  const { job_id: delivered } = await run({ webhook_url: 'https://app.test/hook' })
  const { job_id: polled } = await run({})
  for (let status = ''; status !== 'succeeded'; ) {
    await new Promise<void>((resolve) => server.clock.setTimeout(resolve, 15_000))
    const response = await server.fetch(`/v1/jobs/${polled}`, { headers })
    status = ((await response.json()) as { data: { status: string } }).data.status // a job
  }
  await server.webhooks.next({ jobId: delivered })
  await server.close()
}

for (let count = 0; count < WARM_UP; count++) await story()
const times: number[] = []
while (times.length < MEASURED) {
  const startedAt = performance.now()
  await story()
  times.push(performance.now() - startedAt)
}
// The median: a moment in which something else runs is not part of it.
const milliseconds = times.toSorted((one, other) => one - other)[MEASURED / 2] ?? Number.NaN
const result: AutoTimeResult = { milliseconds }
process.stdout.write(JSON.stringify(result), () => process.exit())
