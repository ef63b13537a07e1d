import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Agent, type HostOptions, startAgent, talk } from '../../test/agent.ts'
import { CliHarness } from '../../test/cli-harness.ts'

const FOX = { model: 'aurora-image', input: { prompt: 'a red fox' } }
const FILM = { model: 'kinora/reel-swift', input: { prompt: 'a red fox runs' } }

let cli: CliHarness
let agents: Agent[]

beforeEach(async () => {
  cli = await CliHarness.create({ latency: 300 })
  agents = []
})

afterEach(async () => {
  for (const agent of agents) await agent.close().catch(() => {})
})

async function start(options?: HostOptions): Promise<Agent> {
  const agent = await startAgent(cli, options)
  agents.push(agent)
  return agent
}

const charged = () => 10_000 - cli.server.credits()
const sent = () =>
  cli.server.journal.entries({ kind: 'job' }).filter((entry) => !('from' in entry) || entry.from === undefined).length

describe('modelrun mcp', { timeout: 120_000 }, () => {
  it('speaks to a host of 2025 without the SDK, and writes nothing but the protocol', async () => {
    const lines = await talk(cli, [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'run_model', arguments: FOX } },
    ])
    const messages = lines.map((line) => JSON.parse(line))
    expect(messages.map(({ jsonrpc, error }) => [jsonrpc, error])).toEqual(lines.map(() => ['2.0', undefined]))
    const tools = messages.find(({ id }) => id === 2).result.tools
    expect(tools).toHaveLength(6)
    expect(JSON.stringify(tools).length).toBeLessThan(5_500)
    expect(messages.find(({ id }) => id === 3).result.content[0].text).toContain('"state":"succeeded"')
    expect(charged()).toBe(4)
  })

  it.each(['legacy', '2026-07-28'] as const)(
    'pays a call that is repeated and timed out once: %s',
    async (protocol) => {
      const agent = await start({ protocol })
      await expect(agent.call('run_model', FOX, 50)).rejects.toThrow()
      const [one, other] = await Promise.all([agent.call('run_model', FOX), agent.call('run_model', FOX)])
      const { facts, types } = await agent.call('run_model', { ...FOX, input: { num_images: 1, ...FOX.input } })
      expect([one?.facts, other?.facts]).toEqual([facts, facts])
      expect(facts).toMatchObject({ state: 'succeeded', next: 'It is done, and its files are saved.' })
      expect(types).toContain('resource_link')
      expect(facts.files?.every((file) => existsSync(file))).toBe(true)
      expect([sent(), charged()]).toEqual([1, 4])
      await agent.call('run_model', { ...FOX, key: 'another' })
      expect([sent(), charged()]).toEqual([2, 8])
    },
  )

  it.each(['legacy', '2026-07-28'] as const)('asks the user about a high price: %s', async (protocol) => {
    const declining = await start({ protocol, user: 'decline' })
    expect(await declining.call('run_model', { ...FILM, max_credits: 100 })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/costs 25 credits\. The user does not agree\. Nothing was sent\./),
    })
    expect(sent()).toBe(0)
    const accepting = await start({ protocol, user: 'accept' })
    expect((await accepting.call('run_model', FILM)).facts.state).toBe('succeeded')
    expect((await accepting.call('run_model', FILM)).facts.state).toBe('succeeded')
    expect(accepting.questions).toHaveLength(1)
    expect([sent(), charged()]).toEqual([1, 25])
  })

  it('says the price where the host has no questions, and takes max_credits for the consent', async () => {
    const agent = await start()
    expect((await agent.call('run_model', FILM)).text).toContain('repeat the call with max_credits: 25')
    expect((await agent.call('run_model', { ...FILM, max_credits: 24 })).text).toContain('more than max_credits 24')
    expect(sent()).toBe(0)
    expect((await agent.call('run_model', { ...FILM, max_credits: 25 })).facts.state).toBe('succeeded')
  })

  it('stops at the budget of the day, in all hosts together', async () => {
    const [one, other] = await Promise.all([start({ flags: ['--budget', '8'] }), start({ flags: ['--budget', '8'] })])
    await Promise.all([one.call('run_model', { ...FOX, key: '1' }), other.call('run_model', { ...FOX, key: '2' })])
    expect((await other.call('run_model', { ...FOX, key: '3' })).text).toContain(
      '0 of 8 credits are left of the budget of this day',
    )
    expect((await other.call('run_model', { ...FOX, key: '1' })).facts.state).toBe('succeeded')
    expect([sent(), charged()]).toEqual([2, 8])
  })

  it.each([
    ['another input', { ...FOX, key: 'a', input: { prompt: 'a cat' } }, 'that of another run'],
    ['a wrong input', { ...FOX, input: { promt: 'a fox' } }, 'did you mean prompt?'],
    ['an unknown model', { ...FOX, model: 'aurora-imag' }, 'Did you mean aurora-image?'],
    ['no input', { model: 'aurora-image' }, 'input'],
    ['a number that lost digits', { ...FOX, input: { prompt: 'x', seed: 2 ** 60 } }, 'whole number above'],
  ])('rejects %s, and sends nothing', async (_, call, text) => {
    const agent = await start()
    await agent.call('run_model', { ...FOX, key: 'a' })
    const reply = await agent.call('run_model', call)
    expect([reply.isError, reply.text]).toEqual([true, expect.stringContaining(text)])
    expect(sent()).toBe(1)
  })

  it('takes any key and a large input, and writes no file outside of its folder', async () => {
    const agent = await start()
    const prompt = 'fox '.repeat(250_000)
    const { facts } = await agent.call('run_model', {
      model: 'aurora-image',
      input: { prompt },
      key: '../../etc/\u001f"\n',
    })
    expect(facts.files?.every((file) => file.startsWith(`${cli.folder}/out/`))).toBe(true)
  })

  it('leaves a lost run to the user: it is not sent again, also under another key', async () => {
    cli.server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
    const agent = await start()
    const lost = await agent.call('run_model', FOX)
    expect(lost.facts).toMatchObject({ state: 'unknown', next: expect.stringContaining('Inform the user') })
    expect((await agent.call('run_model', FOX)).facts.state).toBe('unknown')
    expect((await agent.call('run_model', { ...FOX, key: 'again', max_credits: 100 })).text).toContain(
      'may have been charged',
    )
    expect((await agent.call('get_job', { key: lost.facts.key })).facts.state).toBe('unknown')
    expect(sent()).toBe(1)
    const asked = await start({ user: 'accept' })
    expect((await asked.call('run_model', { ...FOX, key: 'again' })).facts.state).toBe('succeeded')
    expect([sent(), asked.questions.length]).toEqual([2, 1])
  })

  it('says why nothing is sent', async () => {
    const agent = await start()
    cli.server.limitKey(cli.server.apiKey, { credits: 1 })
    const { facts } = await agent.call('run_model', { ...FOX, wait_s: 2 })
    expect(facts).toMatchObject({ state: 'waiting', problem: expect.stringContaining('credits') })
  })

  it('sends a rejected run again, which costs the budget once', async () => {
    const error = { code: 'CONTENT_POLICY', message: 'Not today.' }
    cli.server.faults.add({ kind: 'response', route: 'runModel', status: 422, body: { error }, times: 1 })
    const agent = await start({ flags: ['--budget', '4'] })
    expect((await agent.call('run_model', FOX)).facts).toMatchObject({
      state: 'rejected',
      error: { message: expect.stringContaining('Not today.') },
    })
    expect((await agent.call('run_model', FOX)).facts.state).toBe('succeeded')
    expect([sent(), charged()]).toEqual([1, 4])
  })

  it('cancels a run, and gives its credits back to the budget', async () => {
    cli.server.script('aurora-image', [{ result: 'hang' }])
    const agent = await start({ flags: ['--budget', '4'] })
    const { facts } = await agent.call('run_model', { ...FOX, wait_s: 1 })
    expect(facts).toMatchObject({ state: 'running', next: expect.stringContaining('Call get_job') })
    expect((await agent.call('cancel_job', { key: facts.key })).facts.state).toBe('cancelled')
    expect((await agent.call('run_model', FOX)).facts.state).toBe('cancelled')
    expect((await agent.call('run_model', { ...FOX, key: 'again' })).facts.state).toBe('succeeded')
    expect([sent(), charged()]).toEqual([2, 4])
  })

  it('follows a job in the next process when its host was killed, and keeps a run that was being sent', async () => {
    cli.server.script('aurora-image', [{ result: 'succeeded', after_ms: 2_000 }])
    const first = await start()
    const { facts } = await first.call('run_model', { ...FOX, wait_s: 0.5 })
    await first.kill()
    cli.server.faults.add({ kind: 'hang', route: 'runModel', when: 'after', times: 1 })
    const second = await start()
    expect((await second.call('get_job', { key: facts.key })).facts).toMatchObject({ state: 'succeeded' })
    void second.call('run_model', { ...FOX, key: 'sending' }).catch(() => {})
    await expect.poll(sent).toBe(2)
    await second.kill()
    const third = await start()
    await expect
      .poll(async () => (await third.call('run_model', { ...FOX, key: 'sending' })).facts.state, { timeout: 60_000 })
      .toBe('unknown')
    expect(sent()).toBe(2)
  })

  it('gives models and their parameters, and never the key', async () => {
    const agent = await start()
    const { text } = await agent.call('search_models', { category: 'text-to-image' })
    expect(text).toContain('"credits_per_run":4')
    const page = await agent.call('search_models', { limit: 2, offset: 2 })
    expect(page.facts).toMatchObject({ models: [{}, {}], next_offset: 4, total: expect.any(Number) })
    expect((await agent.call('describe_model', { model: 'aurora-image' })).text).toContain('"input_schema"')
    const { text: wrong } = await agent.call('describe_model', { model: cli.server.apiKey })
    expect(wrong).toContain('There is no model')
    expect(wrong).not.toContain(cli.server.apiKey)
  })

  it('says what is missing when a setting is wrong', async () => {
    const { code, stderr, stdout } = await cli.run(['mcp', '--out', 'out', '--budget', 'much'])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('a whole number from 0 on')])
  })
})
