import type { AssumptionOptions } from '@modelrun/contract/assumptions'
import { expect, it } from 'vitest'
import { OTHER_BEHAVIOUR } from '../assumption-variants.ts'
import { type CheckedServer, createCheckedServer } from './checked-server.ts'

const VARIANTS: AssumptionOptions[] = [
  {},
  ...Object.entries(OTHER_BEHAVIOUR).map(([name, value]) => ({ [name]: value })),
]

// `main-job.system.test.ts` has all that a client does by itself, with each variant.
it.each(VARIANTS)('the document covers how cancelled runs end, with %j', async (assumptions) => {
  await using server = createCheckedServer({ clock: 'manual', assumptions, deliver: async () => new Response() })
  server.script('aurora-image', [{ result: 'hang' }, { result: 'hang' }, { result: 'hang' }])
  const held = run(server, {})
  await server.clock.advance(1_000)
  const [heldId = ''] = /job_\w+/.exec(server.report().text) ?? []
  await cancel(server, heldId)
  expect(await held).toMatchObject({ job_id: heldId, status: 'cancelled' })
  for (const options of [{ sync: false }, { webhook_url: 'https://app.example.com/hook' }]) {
    const { job_id } = await run(server, options)
    for (const _ of ['first', 'again']) await cancel(server, job_id)
  }
  expect(await server.takeViolations()).toEqual([])
})

async function run(server: CheckedServer, options: object): Promise<{ job_id: string }> {
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ input: { prompt: 'a fox' }, ...options })
  return (await server.fetch('/v1/models/aurora-image/run', { method: 'POST', headers, body })).json()
}

async function cancel(server: CheckedServer, jobId: string): Promise<void> {
  const headers = { authorization: `Bearer ${server.apiKey}` }
  await server.fetch(`/v1/jobs/${jobId}`, { method: 'DELETE', headers })
}
