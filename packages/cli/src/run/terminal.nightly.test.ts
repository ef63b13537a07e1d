import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { beforeEach, describe, expect, it } from 'vitest'
import { CliHarness } from '../../test/cli-harness.ts'

let cli: CliHarness

beforeEach(async () => {
  cli = await CliHarness.create()
})

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

  it('cancels the job at Ctrl-C with --on-interrupt cancel, and nothing is charged', async () => {
    cli.server.script('aurora-image', [{ result: 'hang' }])
    const run = cli.inTerminal([...RUN, '--on-interrupt', 'cancel'])
    await run.waitFor(/job_\w+ processing/)
    run.pty.write('\x03')
    expect(await run.ended).toBe(130)
    expect(run.drawn()).toMatch(/is cancelled\. It is not charged\./)
    expect([theJob().status, cli.server.credits()]).toEqual(['cancelled', 10_000])
  })

  it('waits for the id of the job when Ctrl-C is pressed while the run is sent', async () => {
    cli.server.script('aurora-image', [{ result: 'hang' }])
    cli.server.faults.add({ kind: 'slow-headers', route: 'runModel', when: 'after', delay_ms: 2_000 })
    const run = cli.inTerminal(RUN)
    await run.waitFor(/costs 4 credits/)
    await expect.poll(() => cli.server.journal.entries({ kind: 'job' }).length).toBeGreaterThan(0)
    run.pty.write('\x03')
    expect(await run.ended).toBe(130)
    expect(run.drawn()).toMatch(/The run is being sent\.[\s\S]*modelrun job job_\w+ --watch/)
  })

  it('asks before a high price, and sends nothing without a yes', async () => {
    const film = ['run', 'kinora/reel-swift', '--prompt', 'x', '--no-wait']
    const no = cli.inTerminal(film)
    await no.waitFor(/Pay 25 credits\? \[y\/N\] /)
    no.pty.write('\r')
    expect(await no.ended).toBe(3)
    expect(cli.inputs()).toEqual([])
    const interrupted = cli.inTerminal(film)
    await interrupted.waitFor(/\[y\/N\] /)
    interrupted.pty.write('\x03')
    expect(await interrupted.ended).toBe(130)
    expect(cli.inputs()).toEqual([])
    const yes = cli.inTerminal(film)
    await yes.waitFor(/\[y\/N\] /)
    yes.pty.write('y\r')
    expect(await yes.ended).toBe(0)
    expect(cli.inputs()).toHaveLength(1)
  })

  it.each([30, 60, 200])('keeps every line of a table within %i columns', async (cols) => {
    const run = cli.inTerminal(['models'], { cols })
    expect(await run.ended).toBe(0)
    const lines = stripVTControlCharacters(run.drawn()).split('\r\n')
    expect(lines.filter((line) => line !== '')).toHaveLength(14)
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(cols)
  })

  it('keeps the progress within a narrow window', async () => {
    cli.server.script('aurora-image', [{ result: 'hang' }])
    const run = cli.inTerminal(RUN, { cols: 24 })
    await run.waitFor(/⠙/)
    theJob().complete()
    await run.ended
    const drawn = run.drawn().split('\r\x1b[2K').map(stripVTControlCharacters)
    expect(Math.max(...drawn.filter((line) => /^[⠋-⠿]/.test(line)).map((line) => stringWidth(line)))).toBeLessThan(24)
  })

  it('has colours in a terminal, and none with NO_COLOR', async () => {
    const [coloured, plain] = [cli.inTerminal(['models']), cli.inTerminal(['models'], { env: { NO_COLOR: '1' } })]
    await Promise.all([coloured.ended, plain.ended])
    expect(coloured.drawn()).toContain('\x1b[1m')
    expect(plain.drawn()).not.toContain('\x1b[1m')
    expect((await cli.run(['models'])).stdout).not.toContain('\x1b')
  })

  it('shows no text of the service that controls a terminal', async () => {
    const hostile = { ...MODEL, name: 'A\x1b[2J', description: 'B\x1b]0;title\x07\u202eC', id: 'm\x1b[31m' }
    cli = await CliHarness.create({ catalog: [hostile] })
    for (const args of [['models'], ['model', hostile.id], ['run', hostile.id, '--help']]) {
      const { code, stdout } = await cli.run(args)
      expect([code, stdout]).toEqual([0, expect.not.stringMatching(/[^\n\P{Cc}]|\u202e/u)])
    }
  })
})

const MODEL = {
  category: 'text-to-image',
  provider: 'Tests',
  status: 'active',
  pricing: { credits_per_run: 4 },
  input_schema: {
    type: 'object',
    properties: { prompt: { type: 'string', description: 'p\x1b[5m', default: '\x1b[6m' } },
  },
  output_kind: 'image' as const,
  latency_ms: 0,
}
