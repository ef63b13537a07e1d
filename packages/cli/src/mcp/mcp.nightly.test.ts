import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FOX, jobsOf, startAgent, VIDEO } from '../../test/agent.ts'
import { serveDear } from '../../test/batch-fixtures.ts'
import { cli, useCli } from '../../test/cli-harness.ts'

useCli({ latency: 300 })

const jobs = () => jobsOf(cli)
/** What was sent and charged. */
const paid = () => [jobs().size, 10_000 - cli.server.credits()]

describe.each(['legacy', '2026-07-28'] as const)('modelrun mcp with a host of the protocol %s', (protocol) => {
  it('pays a call that is repeated and timed out once', async () => {
    const agent = await startAgent(cli, { protocol })
    await expect(agent.call('run_model', FOX, { timeout: 50 })).rejects.toThrow()
    const [one, other] = await Promise.all([agent.call('run_model', FOX), agent.call('run_model', FOX)])
    const { facts, types } = await agent.call('run_model', { ...FOX, input: { num_images: 1, ...FOX.input } })
    expect([one?.facts, other?.facts]).toEqual([facts, facts])
    expect(facts).toMatchObject({ state: 'succeeded', next: 'It is done, and its files are saved.' })
    expect(types).toContain('resource_link')
    expect(facts.files?.every((file) => existsSync(file))).toBe(true)
    expect(paid()).toEqual([1, 4])
    await agent.call('run_model', { ...FOX, key: 'another' })
    expect(paid()).toEqual([2, 8])
  })

  it('asks the user about a high price', async () => {
    const declining = await startAgent(cli, { protocol, user: 'decline' })
    expect(await declining.call('run_model', { ...VIDEO, max_credits: 100 })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/costs 25 credits\. The user does not agree\. Nothing was sent\./),
    })
    expect(paid()).toEqual([0, 0])
    const accepting = await startAgent(cli, { protocol, user: 'accept' })
    for (const _ of [1, 2]) expect((await accepting.call('run_model', VIDEO)).facts.state).toBe('succeeded')
    expect([...paid(), accepting.questions.length]).toEqual([1, 25, 1])
  })

  it('pays the same call once, also when the service changes a default', async () => {
    const dear = await serveDear(cli)
    const agent = await startAgent(cli, { protocol, user: 'accept', env: dear.env })
    const call = { ...FOX, input: { ...FOX.input, num_images: 1 } }
    const { facts } = await agent.call('run_model', call)
    dear.parameter.default = 2
    expect(await agent.call('run_model', call)).toMatchObject({ facts })
    await agent.call('run_model', { ...call, input: { ...call.input, num_images: 2 } })
    expect(jobs().size).toBe(2)
  })

  it('sends a run only at the price that the user agreed to', async () => {
    const dear = await serveDear(cli)
    const onQuestion = () => {
      dear.price = 150
    }
    const agent = await startAgent(cli, { protocol, user: 'accept', env: dear.env, onQuestion })
    const { text, facts } = await agent.call('run_model', FOX)
    const asked = agent.questions.map((question) => /costs \d+/.exec(question)?.[0])
    // A host of 2026 asks again; one of 2025 has its run rejected.
    const expected = protocol === 'legacy' ? [['costs 25'], 0, 'rejected'] : [['costs 25', 'costs 150'], 1, 'succeeded']
    expect([asked, jobs().size, facts.state], text).toEqual(expected)
  })

  it('pays once for each key when its host is killed at any step of a call, and the agent repeats it', async () => {
    const steps = [/^/, /GET \/v1\/models\//, /POST \/v1\/models\//, /GET \/v1\/jobs\//, /GET \/files\//]
    const calls = steps.map((step) => ({ ...FOX, input: { prompt: `killed at ${step}` } }))
    for (const [index, step] of steps.entries()) {
      const agent = await startAgent(cli, { protocol })
      const known = cli.server.journal.text().length
      void agent.call('run_model', calls[index] ?? FOX).catch(() => {})
      await expect.poll(() => cli.server.journal.text().slice(known), { interval: 5 }).toMatch(step)
      await agent.kill()
    }
    const agent = await startAgent(cli, { protocol })
    for (const call of calls) {
      const repeat = async () => (await agent.call('run_model', call)).facts.state
      await expect.poll(repeat).toMatch(/succeeded|unknown/)
      await repeat()
    }
    const prompts = Array.from(jobs(), (id) => cli.server.job(id).input.prompt)
    expect(new Set(prompts).size).toBe(prompts.length)
    expect(paid()).toEqual([prompts.length, 4 * prompts.length])
  })
})

describe('modelrun mcp', () => {
  it('pays one run that two hosts ask for at once in two spellings, and stops all at the budget of the day', async () => {
    const flags = ['--budget', '8']
    const [one, other] = [await startAgent(cli, { flags }), await startAgent(cli, { flags })]
    const spelled = { ...FOX, input: { ...FOX.input, num_images: 1 } }
    const [first, second] = await Promise.all([one.call('run_model', FOX), other.call('run_model', spelled)])
    expect([first.facts.state, second.facts.state, ...paid()]).toEqual(['succeeded', 'succeeded', 1, 4])
    await one.call('run_model', { ...FOX, key: '2' })
    const rejected = await other.call('run_model', { ...FOX, key: '3' })
    expect(rejected.text).toContain('0 of 8 credits are left of the budget of this day')
    expect((await other.call('run_model', { ...FOX, key: '2' })).facts.state).toBe('succeeded')
    expect(paid()).toEqual([2, 8])
  })

  it.each([
    ['another input', { ...FOX, key: 'a', input: { prompt: 'a cat' } }, 'that of another run'],
    ['a wrong input', { ...FOX, input: { promt: 'a fox' } }, 'did you mean prompt?'],
    ['an unknown model', { ...FOX, model: 'aurora-imag' }, 'Did you mean aurora-image?'],
    ['no input', { model: 'aurora-image' }, 'input'],
    ['a misspelled argument', { ...FOX, maxCredits: 10 }, 'no such argument: maxCredits; did you mean max_credits?'],
    ['an unknown argument', { ...FOX, prompt: 'x' }, 'prompt; the tool takes model, input, key, max_credits, wait_s'],
    ['a wrong type', { ...FOX, wait_s: 'soon' }, 'wait_s must be number'],
    ['a number that lost digits', { ...FOX, input: { prompt: 'x', seed: 2 ** 60 } }, 'whole number above'],
  ])('rejects %s, and sends nothing', async (_, call, text) => {
    const agent = await startAgent(cli)
    await agent.call('run_model', { ...FOX, key: 'a' })
    const reply = await agent.call('run_model', call)
    expect([reply.isError, reply.text]).toEqual([true, expect.stringContaining(text)])
    // Texts of the service are in a member of their own.
    expect(reply.text).toMatch(/^(\{"error":|Input validation error)/)
    expect(jobs().size).toBe(1)
  })

  it('takes any key and a large input, and writes no file outside of its folder', async () => {
    const call = { model: 'aurora-image', input: { prompt: 'fox '.repeat(250_000) }, key: '../../etc/\u001f\u202e"\n' }
    const agent = await startAgent(cli)
    const { facts } = await agent.call('run_model', call)
    expect((await agent.call('get_job', { key: facts.key })).facts).toEqual(facts)
    expect(facts.files).toEqual([expect.stringContaining(`${cli.folder}/out/aurora-image-job_`)])
  })

  it('leaves a lost run to the user: it is not sent again, also under another key', async () => {
    cli.server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
    const agent = await startAgent(cli)
    const lost = await agent.call('run_model', FOX)
    expect(lost.facts).toMatchObject({ state: 'unknown', next: expect.stringContaining('Inform the user') })
    expect((await agent.call('run_model', FOX)).facts.state).toBe('unknown')
    const again = { ...FOX, key: 'again', max_credits: 100 }
    expect((await agent.call('run_model', again)).text).toContain('may have been charged')
    expect((await agent.call('get_job', { key: lost.facts.key })).facts.state).toBe('unknown')
    expect(jobs().size).toBe(1)
    const asked = await startAgent(cli, { user: 'accept' })
    expect((await asked.call('run_model', { ...FOX, key: 'again' })).facts.state).toBe('succeeded')
    expect([jobs().size, asked.questions.length]).toEqual([2, 1])
  })

  it('says why nothing is sent, and sends a run for no more than its last caller agreed to', async () => {
    const agent = await startAgent(cli)
    cli.server.limitKey(cli.server.apiKey, { credits: 1 })
    const { facts } = await agent.call('run_model', { ...FOX, wait_s: 2 })
    expect(facts).toMatchObject({ state: 'waiting', credits: 4, problem: expect.stringContaining('credits') })
    await agent.call('run_model', { ...FOX, wait_s: 0, max_credits: 3 })
    cli.server.limitKey(cli.server.apiKey, { credits: 100 })
    // Its start sends what waits.
    const next = await (await startAgent(cli)).call('get_job', { key: facts.key })
    expect(next.facts).toMatchObject({ state: 'rejected', budget_left: 200 })
    expect(jobs().size).toBe(0)
  })

  it('sends a rejected run again, which costs the budget once, at its price then', async () => {
    const error = { code: 'CONTENT_POLICY', message: 'Not today.' }
    cli.server.faults.add({ kind: 'response', route: 'runModel', status: 422, body: { error }, times: 1 })
    const dear = await serveDear(cli)
    dear.price = 4
    const agent = await startAgent(cli, { flags: ['--budget', '12'], env: dear.env })
    await agent.call('run_model', { ...FOX, wait_s: 0 })
    // No call asks for it again, until another run needs what it does not cost.
    dear.price = 9
    const other = async () => (await agent.call('run_model', { ...FOX, key: 'other' })).facts.state
    await expect.poll(other).toBe('succeeded')
    dear.price = 4
    expect((await agent.call('run_model', FOX)).text).toContain('3 of 12 credits are left of the budget of this day')
    dear.price = 3
    expect((await agent.call('run_model', FOX)).facts).toMatchObject({ state: 'succeeded', budget_left: 0 })
    cli.server.faults.add({ kind: 'unavailable', route: 'getModel' })
    expect((await agent.call('run_model', FOX)).facts.state).toBe('succeeded')
    expect(paid()).toEqual([2, 8])
  })

  it('cancels a run, and gives its credits back to the budget', async () => {
    cli.server.script('aurora-image', [{ result: 'hang' }])
    const agent = await startAgent(cli, { flags: ['--budget', '4'] })
    const { facts } = await agent.call('run_model', { ...FOX, wait_s: 1 })
    expect(facts).toMatchObject({ state: 'running', next: expect.stringContaining('Call get_job') })
    expect((await agent.call('cancel_job', { key: facts.key })).facts.state).toBe('cancelled')
    expect((await agent.call('run_model', FOX)).facts.state).toBe('cancelled')
    expect((await agent.call('run_model', { ...FOX, key: 'again' })).facts.state).toBe('succeeded')
    expect(paid()).toEqual([2, 4])
  })

  it('gives models and their parameters, and never the key', async () => {
    const agent = await startAgent(cli)
    expect((await agent.call('search_models', { category: 'text-to-image' })).text).toContain('"credits_per_run":4')
    const page = await agent.call('search_models', { limit: 2, offset: 2 })
    expect(page.facts).toMatchObject({ models: [{}, {}], next_offset: 4, total: expect.any(Number) })
    // No member of a service is beside those that agents act on.
    const described = await agent.call('describe_model', { model: 'aurora-image' })
    expect(described.facts).toEqual({
      model: expect.objectContaining({ id: 'aurora-image', input_schema: expect.anything() }),
    })
    const { text: wrong } = await agent.call('describe_model', { model: cli.server.apiKey })
    expect([wrong.includes('There is no model'), wrong.includes(cli.server.apiKey)]).toEqual([true, false])
  })
})
