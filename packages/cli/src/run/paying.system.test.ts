import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startAgent } from '../../test/agent.ts'
import { BATCH, serveItems } from '../../test/batch-fixtures.ts'
import { cli, serve, useCli } from '../../test/cli-harness.ts'

useCli()

const RUN = ['run', 'aurora-image', '--prompt', 'a fox', '--image-size', 'square']

const ledger = async () => (await cli.events('job')).events

describe('the price of a run', () => {
  it('is said before anything is paid, and limited by --max-credits', async () => {
    const { code, stderr } = await cli.run([...RUN, '--max-credits', '3'])
    expect([code, stderr]).toEqual([
      3,
      'modelrun: A run of aurora-image costs 4 credits, more than --max-credits 3. Nothing was sent.\n',
    ])
    expect(await cli.run(RUN, { env: { MODELRUN_MAX_CREDITS: '3' } })).toMatchObject({ code: 3 })
    expect(cli.inputs()).toEqual([])
    expect(cli.server.credits()).toBe(10_000)
  })

  it('needs a permission when it is high, and never waits for one without a terminal', async () => {
    const video = ['run', 'kinora/reel-swift', '--prompt', 'x', '--no-wait']
    const { code, stderr } = await cli.run(video)
    expect([code, stderr]).toEqual([3, expect.stringContaining('From 20 credits on, pass --yes or --max-credits')])
    expect(cli.inputs()).toEqual([])
    expect((await cli.run([...video, '--yes'])).code).toBe(0)
    expect((await cli.run([...video, '--max-credits', '25'])).code).toBe(0)
  })
})

describe('a run that goes wrong', () => {
  it('ends with exit code 4 when the connection breaks after the service accepted it, and is not sent again', async () => {
    cli.server.faults.add({ kind: 'reset', route: 'runModel', when: 'after' })
    const { code, events } = await cli.events(...RUN)
    expect([code, events.at(-1)]).toEqual([4, expect.objectContaining({ type: 'error', submission: 'unknown' })])
    expect(cli.inputs()).toHaveLength(1)
    expect(await ledger()).toMatchObject([{ status: 'unknown', model: 'aurora-image', credits: 4 }])
  })

  it.each([
    ['server-error', 4],
    ['empty-reply', 4],
    ['bad-gateway', 4],
    // The id of the job can still be read: the run continues to its end.
    ['truncated-body', 0],
    ['malformed-json', 0],
  ] as const)('is sent once when the response is %s, and ends with exit code %i', async (kind, code) => {
    cli.server.faults.add({ kind, route: 'runModel', when: 'after' })
    expect((await cli.run(RUN)).code).toBe(code)
    expect(cli.inputs()).toHaveLength(1)
  })

  it('is in the ledger as unknown when its process is killed while it is sent', async () => {
    cli.server.faults.add({ kind: 'hang', route: 'runModel', when: 'after' })
    const { child, ended } = cli.start(RUN)
    await expect.poll(() => cli.server.journal.entries({ kind: 'job' })).not.toEqual([])
    child.kill('SIGKILL')
    await ended
    expect((await cli.run(['job'])).stdout).toMatch(/\n- +unknown +aurora-image +4 /)
  })

  it('ends with exit code 1 when the job fails, and says why', async () => {
    cli.server.script('aurora-image', [{ result: 'failed', error: { code: 'PROVIDER_FAILURE', message: 'no paint' } }])
    const { code, stdout, stderr } = await cli.run(RUN)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/failed: \[PROVIDER_FAILURE\] no paint\n$/)])
    expect(await ledger()).toMatchObject([{ status: 'failed' }])
  })

  it('ends with exit code 3 when its key may not run models', async () => {
    const { key } = cli.server.createKey({ permissions: ['models:read'] })
    const { code, stderr } = await cli.run(RUN, { env: { MODELRUN_API_KEY: key } })
    expect([code, stderr]).toEqual([3, expect.stringContaining('models:run')])
    expect(await ledger()).toMatchObject([{ status: 'rejected' }])
  })

  it.for<[title: string, env: Record<string, string>, code: number, text: string]>([
    ['no service listens', { MODELRUN_BASE_URL: 'http://127.0.0.1:48989' }, 3, 'ECONNREFUSED'],
    ['the key is not accepted', { MODELRUN_API_KEY: 'sk_test_not_known' }, 3, 'UNAUTHORIZED'],
    ['the ledger cannot be written', { MODELRUN_STATE_DIR: '/dev/null/x' }, 2, 'Set MODELRUN_STATE_DIR'],
  ])('is not sent when %s', async ([, env, code, text]) => {
    expect(await cli.run(RUN, { env })).toEqual({ code, stdout: '', stderr: expect.stringContaining(text) })
    expect(cli.server.credits()).toBe(10_000)
  })

  it('says that files are missing with exit code 4 when they cannot be fetched, and job --watch fetches them', async () => {
    cli.server.faults.add({ kind: 'server-error', route: 'getFile' })
    const { code, stderr } = await cli.run(RUN)
    const [, id = ''] = /modelrun job (\w+) --watch/.exec(stderr) ?? []
    expect([code, id]).toEqual([4, expect.stringMatching(/^job_/)])
    cli.server.faults.clear()
    expect(await cli.run(['job', id, '--watch'])).toMatchObject({ code: 0, stdout: `aurora-image-${id}-0.png\n` })
    expect(cli.inputs()).toHaveLength(1)
  })
})

describe('an output with items that cannot be saved', () => {
  const start = async (user: string, env: Record<string, string>): Promise<[number | null, string]> => {
    const args = user === 'run' ? RUN : [...BATCH, '--inputs', 'rows.jsonl']
    if (user !== 'mcp') return await cli.run([...args, '--json'], { env }).then(({ code, stdout }) => [code, stdout])
    const agent = await startAgent(cli, { env })
    const { facts } = await agent.call('run_model', { model: 'aurora-image', input: { prompt: 'a fox' } })
    return [4, JSON.stringify(facts)]
  }

  it.each(['batch', 'run', 'mcp'])('has the good files all the same, and names the others, in %s', async (user) => {
    const host = await serve(({ url }, response) => response.writeHead(url === '/gone' ? 404 : 200).end('pixels'))
    const good = { type: 'image', url: `${host}/a.png` }
    const invalid = [null, 5, {}, [good], { ...good, url: '/b.png' }, { ...good, url: `${host}/gone` }]
    const env = await serveItems(cli, [...invalid, good, 'text'])
    await cli.write('rows.jsonl', '{"prompt":"a fox"}')
    for (let again = 0; again < 2; again++) {
      const [code, said] = await start(user, env)
      expect([code, said.match(/job_\w+-\d(?=[."])/g)]).toEqual([
        4,
        [/-6$/, /-7$/].map((one) => expect.stringMatching(one)),
      ])
      for (const index of invalid.keys()) expect(said).toContain(`Item ${index} of the output is not saved: `)
    }
    expect(cli.inputs()).toHaveLength(user === 'run' ? 2 : 1)
  })
})

describe('the API key', () => {
  it('comes from a file, with a line break at its end', async () => {
    await writeFile(join(cli.folder, 'key'), `${cli.server.apiKey}\n`)
    const env = { MODELRUN_API_KEY: undefined }
    expect(await cli.run([...RUN, '--api-key-file', 'key'], { env })).toMatchObject({ code: 0 })
    expect(await cli.run(['models', '--api-key-file', 'none'], { env })).toMatchObject({ code: 2 })
  })

  it('is never an argument, and never printed', async () => {
    const { code, stdout, stderr } = await cli.run(['models', `--api-key=${cli.server.apiKey}`])
    expect([code, stdout + stderr]).toEqual([2, expect.stringContaining('A key in an argument is seen')])
    const typed = await cli.run(['run', 'aurora-image', '--prompt', 'x', `--seed=${cli.server.apiKey}`])
    const shown = await cli.run(['models'], { env: { MODELRUN_LOG: 'debug' } })
    const special = await cli.run(['run', cli.server.apiKey, '--prompt', 'x'])
    for (const { stdout, stderr } of [typed, shown, special]) expect(stdout + stderr).not.toContain(cli.server.apiKey)
    expect(typed.stderr).toContain('--seed=[API key]')
  })
})
