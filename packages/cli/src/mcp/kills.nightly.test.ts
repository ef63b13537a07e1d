import { beforeEach, expect, it } from 'vitest'
import { startAgent } from '../../test/agent.ts'
import { CliHarness } from '../../test/cli-harness.ts'

let cli: CliHarness

beforeEach(async () => {
  cli = await CliHarness.create({ latency: 400 })
})

const PLACES_MS = [0, 5, 15, 30, 60, 100, 200, 400, 700, 1_100]

it.each(['legacy', '2026-07-28'] as const)(
  'pays once for each key when its host is killed at ten places of a call, and the agent repeats it: %s',
  async (protocol) => {
    for (const delayMs of PLACES_MS) {
      const call = { model: 'aurora-image', input: { prompt: `killed after ${delayMs} ms` } }
      const agent = await startAgent(cli, { protocol })
      void agent.call('run_model', call).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      await agent.kill()
    }
    const agent = await startAgent(cli, { protocol })
    for (const delayMs of PLACES_MS) {
      const call = { model: 'aurora-image', input: { prompt: `killed after ${delayMs} ms` } }
      const repeat = async () => (await agent.call('run_model', call)).facts.state
      await expect.poll(repeat, { timeout: 60_000 }).toMatch(/succeeded|unknown/)
      await agent.call('run_model', call)
    }
    await agent.close()
    const ids = new Set(
      cli.server.journal.entries({ kind: 'job' }).map((entry) => ('job_id' in entry && entry.job_id) || ''),
    )
    const prompts = Array.from(ids, (id) => cli.server.job(id).input.prompt)
    expect(new Set(prompts).size).toBe(prompts.length)
    expect(10_000 - cli.server.credits()).toBe(4 * prompts.length)
  },
  240_000,
)
