import type { IncomingMessage, ServerResponse } from 'node:http'
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { serveBefore, serveDear } from '../../test/batch-fixtures.ts'
import { cli, serve, useCli } from '../../test/cli-harness.ts'

useCli()

const RUN = ['run', 'aurora-image', '--prompt', 'a fox', '--image-size', 'square']

/** The only job of the service. */
function theJob() {
  const [created] = cli.server.journal.entries({ kind: 'job' })
  return cli.server.job(created?.kind === 'job' ? created.job_id : '')
}

describe('modelrun run in a terminal', () => {
  it('draws state and time while it waits, and takes the line away', async () => {
    cli.server.script('aurora-image', [{ result: 'hang' }])
    const run = cli.inTerminal(RUN)
    await run.waitFor(/⠙ job_\w+ processing [1-9] s/)
    theJob().complete()
    expect(await run.ended).toBe(0)
    expect(run.drawn()).toMatch(/\r.\[2Ksucceeded, 4 credits\r\naurora-image-job_\w+-0\.png\r\n$/u)
  })

  it('stops waiting at Ctrl-C, says how to follow the job, and job --watch does', async () => {
    cli.server.script('aurora-image', [{ result: 'hang' }])
    const run = cli.inTerminal(RUN)
    await run.waitFor(/job_\w+ processing/)
    run.pty.write('\x03')
    expect(await run.ended).toBe(130)
    const [, id = ''] = /Follow it with: modelrun job (\w+) --watch/.exec(run.drawn()) ?? []
    expect(theJob().status).toBe('processing')
    theJob().complete()
    const watched = cli.inTerminal(['job', id, '--watch'])
    expect(await watched.ended).toBe(0)
    expect(watched.drawn()).toContain(`aurora-image-${id}-0.png`)
    expect(cli.inputs()).toHaveLength(1)
  })

  it.each([
    [2, /stopped\. Nothing is charged\./, 0],
    [3, /modelrun job job_\w+ --watch/, 1],
  ])('at Ctrl-C in request %i, the price and then the run, sends no run after it', async (at, said, runs) => {
    cli.server.script('aurora-image', [{ result: 'hang' }])
    let requests = 0
    const env = await serveBefore(cli, async (_body, theirs) => {
      requests += 1
      if (requests === at) run.pty.write('\x03')
      if (requests === at) await run.waitFor(/Stopping\./)
      return await theirs()
    })
    const run = cli.inTerminal(RUN, { env })
    expect(await run.ended).toBe(130)
    expect(run.drawn()).toMatch(said)
    expect(cli.inputs()).toHaveLength(runs)
  })

  it.each([
    ['\r', 3, 0],
    ['\x03', 130, 0],
    ['y\r', 0, 1],
  ])('asks before a high price, and for the keys %j ends with %i and sends %i runs', async (keys, code, runs) => {
    const run = cli.inTerminal(['run', 'kinora/reel-swift', '--prompt', 'x', '--no-wait'])
    await run.waitFor(/Pay 25 credits\? \[y\/N\] /)
    run.pty.write(keys)
    expect([await run.ended, cli.inputs().length]).toEqual([code, runs])
  })

  it('does not send a run whose price rises while the question is read', async () => {
    const dear = await serveDear(cli)
    const asked = cli.inTerminal(RUN, { env: dear.env })
    await asked.waitFor(/Pay 25 credits\? \[y\/N\] /)
    dear.price = 5_000
    asked.pty.write('y\r')
    expect([await asked.ended, cli.inputs()]).toEqual([3, []])
    expect(asked.drawn()).toContain('costs 5000 credits, more than')
  })

  it.each([24, 60, 200])('keeps every line of a table and the progress within %i columns', async (cols) => {
    cli.server.script('aurora-image', [{ result: 'hang' }])
    const [table, run] = [cli.inTerminal(['models'], { cols }), cli.inTerminal(RUN, { cols })]
    await run.waitFor(/⠙/)
    theJob().complete()
    expect([await table.ended, await run.ended]).toEqual([0, 0])
    const lines = stripVTControlCharacters(table.drawn()).split('\r\n')
    expect(lines.filter((line) => line !== '')).toHaveLength(14)
    const frames = run.drawn().split('\r\x1b[2K').map(stripVTControlCharacters)
    const all = [...lines, ...frames.filter((line) => /^[⠋-⠿]/.test(line))]
    expect(Math.max(...all.map((line) => stringWidth(line)))).toBeLessThanOrEqual(cols)
  })

  it('has colours in a terminal, and none with NO_COLOR', async () => {
    const [coloured, plain] = [cli.inTerminal(['models']), cli.inTerminal(['models'], { env: { NO_COLOR: '1' } })]
    await Promise.all([coloured.ended, plain.ended])
    expect(coloured.drawn()).toContain('\x1b[1m')
    expect(plain.drawn()).not.toContain('\x1b[1m')
    expect((await cli.run(['models'])).stdout).not.toContain('\x1b')
  })

  it.each([
    'models',
    'models --json',
    'model m',
    'run m fox',
    'run m fox --max-credits 1',
    'batch m --inputs rows --out o --yes',
    'job j',
    'job j --json',
    'cancel j',
    'logs',
    'doctor',
    'types m --check',
  ])('shows no text of the service that controls a terminal: %s', async (command) => {
    await cli.write('rows', '{"prompt":"a"}')
    const url = await serve(hostileService)
    const run = cli.inTerminal(command.split(' '), { env: { MODELRUN_BASE_URL: url, NO_COLOR: '1' } })
    run.pty.write('n\r')
    await run.ended
    for (const part of ['\x1b]', '\x1b[8m', '\x07', '\x9b', '\u202e', '\nINJECTED'])
      expect(run.drawn()).not.toContain(part)
  })
})

const EVIL = 'costs 1 credit.\x1b]0;title\x07\x1b[8m\x9b2J\u202e\r\nINJECTED'

/** Every string of it tries to move the cursor. */
function hostileService(request: IncomingMessage, response: ServerResponse): void {
  const { url = '', method } = request
  const property = { type: 'string', description: 'p\x1b[5m', default: '\x1b[6m' }
  const model = {
    // A line of the help that is wrapped before the last word would look like a line of its own.
    ...{ id: `m ${EVIL}`, name: 'M', description: EVIL, category: 'image', provider: 'Tests', status: 'active' },
    pricing: { credits_per_run: 5_000 },
    input_schema: { type: 'object', properties: { prompt: property } },
  }
  const error = { code: EVIL, message: EVIL }
  const entry = { kind: 'request', place: EVIL, at_ms: 1, method: EVIL, path: EVIL, status: 200, duration_ms: EVIL }
  const bodies: [RegExp, object][] = [
    [/activity/, { entries: [entry] }],
    [/models\?/, { models: [model], total: 1, limit: 100, offset: 0 }],
    [/run$/, { job_id: `j${EVIL}`, request_id: EVIL, status: 'queued', model_id: 'm' }],
    [/jobs/, { data: { status: method === 'DELETE' ? EVIL : 'failed', error, [EVIL]: 1 } }],
    [/./, model],
  ]
  const [, body] = bodies.find(([path]) => path.test(url)) ?? []
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
}
