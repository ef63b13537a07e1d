import { mkdir, readdir, stat, symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  BATCH,
  FAILED,
  promptLines,
  type SmallFiles,
  sendsByPrompt,
  sentRuns,
  serveBefore,
  serveDear,
  serveSmallFiles,
} from '../../test/batch-fixtures.ts'
import { cli, openCli, serve, useCli } from '../../test/cli-harness.ts'

let files: SmallFiles

useCli({ credits: 1_000_000, retention: { journalBytes: 100_000_000 } })
beforeEach(async () => {
  files = await serveSmallFiles()
})

async function savedFiles(): Promise<string[]> {
  return (await readdir(join(cli.folder, 'out'))).filter((name) => name.endsWith('.png'))
}

describe('modelrun batch', () => {
  it('runs each row of a CSV file, and the same command again sends nothing', async () => {
    files.script(cli, 3)
    await cli.write('rows.csv', '\ufeffprompt,num_images\r\na fox,2\r\n"a hare, ""grey""",\r\na fox,2\r\n')
    const first = await cli.run([...BATCH, '--inputs', 'rows.csv', '--report', 'report.csv'])
    expect([first.code, first.stdout]).toEqual([0, 'STATE      ROWS\nsucceeded  3\n'])
    expect(cli.inputs()).toHaveLength(3)
    expect(cli.inputs()).toEqual(
      expect.arrayContaining([{ prompt: 'a fox', num_images: 2 }, { prompt: 'a hare, "grey"' }]),
    )
    expect(await savedFiles()).toHaveLength(3)
    const report = await cli.read('report.csv')
    expect(report).toMatch(
      /^"row","key","state","job_id","files","error","attempt","urls","credits","sent_at","request_id","input\.prompt","input\.num_images"\r\n"1","\w+-1","succeeded","job_\w+","out\/1-job_\w+-0\.png",,"1","http:\S+\/\d\.png","4",[^,]*,[^,]*,"a fox","2"\r\n"2",/,
    )
    const again = await cli.run([...BATCH, '--inputs', 'rows.csv'])
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('3 of 3 rows were sent before')])
    expect(cli.inputs()).toHaveLength(3)
  })

  it('sends only new rows when rows are put in front, and reads standard input', async () => {
    files.script(cli, 3)
    const run = (input: string) => cli.run([...BATCH, '--inputs', '-'], { input })
    await run('{"prompt":"a"}\n\n{"prompt":"b"}\n')
    expect((await run('{"prompt":"new"}\n{"prompt":"a"}\n{"prompt":"b"}')).code).toBe(0)
    expect(Object.fromEntries(sendsByPrompt(cli))).toEqual({ a: 1, b: 1, new: 1 })
  })

  it('knows a row by its --key, and does not send another input under it', async () => {
    files.script(cli, 2)
    await cli.write('rows.csv', 'id,prompt\nx1,a fox\n')
    const args = [...BATCH, '--inputs', 'rows.csv', '--key', 'id']
    expect((await cli.run(args)).code).toBe(0)
    expect(await savedFiles()).toEqual([expect.stringMatching(/^1-job_\w+-0\.png$/)])
    await cli.write('rows.csv', 'id,prompt\nx1,a hare\n')
    const changed = await cli.run(args)
    expect(changed.code).toBe(2)
    expect(changed.stderr).toMatch(/row 1, with the key x1\n.*a new key to pay for a new run/)
    expect(cli.inputs()).toHaveLength(1)
  })

  it.each([
    ['prompt\na fox\n', 'No row has a value in the column id of --key. Nothing was sent.\n', '--key', 'id'],
    ['id,prompt\nx,a\nx,b\n', 'row 2: the key x in the column id of --key comes again', '--key', 'id'],
    ['prompt,num_imags\nx,1\n', '\n  num_imags: no such parameter; did you mean num_images?\n'],
    ['prompt,num_images\nx,9\n', 'row 1: num_images: must be at most 4, not 9.'],
    ['prompt\na,b\n', 'is not CSV: Invalid Record Length: expect 1, got 2 on line 2.'],
    ['prompt,\na,b\n', 'is not CSV: line 2 has the cell "b", for which the heading has no name.'],
    ['prompt\n', 'has no rows'],
    ['prompt,prompt\na,b\n', 'the column prompt is twice'],
  ])('ends with exit code 2 and sends nothing for %j', async (content, message, ...more) => {
    await cli.write('rows.csv', content)
    const { code, stderr } = await cli.run([...BATCH, '--inputs', 'rows.csv', ...more])
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(cli.inputs()).toEqual([])
  })

  it('lists what failed and what is unknown apart, and does what is decided', async () => {
    cli.server.script('aurora-image', [FAILED])
    await cli.write('rows.jsonl', '{"prompt":"a"}\n{"prompt":"b"}\n')
    const args = [...BATCH, '--inputs', 'rows.jsonl', '--concurrency', '1', '--report', 'report.csv']
    cli.server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
    const { code, stdout, stderr } = await cli.run(args)
    expect([code, stdout]).toEqual([4, expect.stringMatching(/^succeeded +1\nunknown +1 +decide: see below\n/m)])
    expect(stderr).toMatch(/Rows that are unknown:\nThey may have been charged[\s\S]* {2}row 1 /)
    expect(await cli.read('report.csv')).toMatch(/^"1","\w+-1","unknown",/m)
    const [job] = cli.server.journal.entries({ kind: 'job' })
    const decided = await cli.run([...args, '--job', `1=${job?.kind === 'job' ? job.job_id : ''}`])
    expect([decided.code, decided.stdout]).toEqual([1, expect.stringMatching(/^failed +1 +add --retry-failed/m)])
    expect(cli.inputs()).toHaveLength(2)
  })

  it('sends no row twice when it is killed three times, and has all results in the end', {
    timeout: 600_000,
  }, async () => {
    const ROWS = 200
    files.script(cli, ROWS)
    await cli.write('rows.jsonl', promptLines(ROWS))
    const args = [...BATCH, '--inputs', 'rows.jsonl', '--concurrency', '40']
    for (let kill = 1; kill <= 3; kill++) {
      const { child, ended } = cli.start(args)
      // At other moments each time: when so many more runs have come.
      const wanted = kill * 48 + kill
      await Promise.race([ended, expect.poll(() => cli.bodies().length).toBeGreaterThan(wanted)])
      child.kill('SIGKILL')
      await ended
    }
    const { events } = await cli.events(...args)
    const unknown = events.filter(({ type, state }) => type === 'row' && state === 'unknown')
    // What the user finds in the service's own list: the job of each row that is unknown, if there is one.
    const decisions = unknown.flatMap(({ row }) => {
      const job = sentRuns(cli).find(({ prompt, jobId }) => prompt === String(Number(row) - 1) && jobId !== undefined)
      return job === undefined ? [] : ['--job', `${row}=${job.jobId}`]
    })
    const last = await cli.run([...args, ...decisions, '--resubmit-unknown'])
    expect([last.code, last.stdout]).toEqual([0, `STATE      ROWS\nsucceeded  ${ROWS}\n`])
    const sends = sendsByPrompt(cli)
    expect([sends.size, Math.max(...sends.values())]).toEqual([ROWS, 1])
    expect(await savedFiles()).toHaveLength(ROWS)
    expect(1_000_000 - cli.server.credits()).toBe(4 * ROWS)
  })

  it('draws a bar with rate, cost and time left, and continues after Ctrl-C', async () => {
    await openCli({ latency: 1_000 })
    await cli.write('rows.jsonl', promptLines(12))
    const args = [...BATCH, '--inputs', 'rows.jsonl', '--concurrency', '3']
    const run = cli.inTerminal(args, { cols: 90 })
    await run.waitFor(/█░+ [1-9]\d* of 12 · \d+\.\d\/s · \d+ credits · \d+ s left/)
    run.pty.write('\x03')
    expect(await run.ended).toBe(130)
    expect(run.drawn()).toContain('The same command again continues with the batch.')
    expect((await cli.run(args)).code).toBe(0)
    expect(sendsByPrompt(cli).size).toBe(12)
    expect(cli.inputs()).toHaveLength(12)
  })
})

describe('modelrun batch before and after it works', () => {
  const args = [...BATCH, '--inputs', 'rows.csv', '--report', 'report.csv']

  it('shows price, equal rows and state, and sends nothing, with --dry-run and as status', async () => {
    files.script(cli, 2)
    await cli.write('rows.csv', 'prompt\na fox\na hare\na fox\n')
    const dry = await cli.run([...args, '--dry-run'])
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/^waiting +3 /m)])
    expect(dry.stderr).toContain('1 row is equal to an earlier one: 4 credits of 12 credits.\nA batch of 3 runs')
    expect(cli.inputs()).toEqual([])
    expect((await cli.run([...args, '--limit', '2'])).code).toBe(0)
    expect(cli.inputs()).toHaveLength(2)
    const { code, stdout } = await cli.run(['batch', 'status', '--out', 'out'])
    expect([code, stdout]).toEqual([0, 'STATE      ROWS\nsucceeded  2\n'])
  })

  it.each([
    ['its own inputs', 'rows.csv', 'is not an earlier report'],
    ['the folder of --out', 'out', 'must end in .csv or .jsonl'],
    ['a link', 'link.csv', 'must be a file'],
    ['a file below a file', 'rows.csv/report.csv', 'Choose another folder with --report'],
  ])('does not start when the report would be %s', async (_, report, problem) => {
    await cli.write('rows.csv', 'prompt\na fox\n')
    await symlink('rows.csv', join(cli.folder, 'link.csv'))
    const { code, stderr } = await cli.run([...BATCH, '--inputs', 'rows.csv', '--report', report])
    expect([code, stderr, cli.inputs()]).toEqual([2, expect.stringContaining(problem), []])
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'keeps what is being sent and writes its report at %s, and shows no text to others',
    async (signal) => {
      cli.server.faults.add({ kind: 'slow-headers', route: 'runModel', when: 'after', delay_ms: 1_000 })
      await cli.write('rows.csv', `prompt\n${Array.from({ length: 30 }, (_, index) => `fox ${index}\n`).join('')}`)
      const { child, ended } = cli.start(args)
      await expect.poll(() => cli.bodies().length).toBeGreaterThan(0)
      child.kill(signal)
      expect((await ended).code).toBe(130)
      const report = await cli.read('report.csv')
      expect(report.match(/^"\d+",/gm)).toHaveLength(30)
      expect(report).not.toContain('unknown')
      const state = join(cli.folder, 'out/.modelrun')
      const names = (await readdir(state)).map((name) => join(state, name))
      const modes = await Promise.all([state, join(cli.folder, 'report.csv'), ...names].map((path) => stat(path)))
      expect(modes.filter(({ mode }) => (mode & 0o077) !== 0)).toEqual([])
    },
  )

  it('pays no row at a price that was not agreed to, and every row at one that was', async () => {
    files.script(cli, 3)
    const dear = await serveDear(cli)
    // The price rises once the first row is sent.
    Object.defineProperty(dear, 'price', { get: () => (cli.inputs().length > 0 ? 50 : 4) })
    await cli.write('rows.csv', 'prompt\na fox\na hare\nan owl\n')
    const command = [...BATCH.slice(0, 4), '--inputs', 'rows.csv', '--concurrency', '1']
    const run = (...more: string[]) => cli.run([...command, ...more], { env: dear.env })
    for (const more of [[], [], ['--max-credits', '12'], ['--yes']]) {
      const { code, stdout } = await run(...more)
      expect([code, stdout, cli.inputs().length]).toEqual([3, expect.stringMatching(/^rejected +2 /m), 1])
    }
    expect((await run('--retry-failed', '--yes')).stderr).toContain('2 runs of aurora-image costs 100 credits.')
  })

  it('pays rows that wait at the price that is agreed to now', async () => {
    files.script(cli, 3)
    const dear = await serveDear(cli)
    dear.price = 4
    cli.server.limitKey(cli.server.apiKey, { credits: 4 })
    await cli.write('rows.csv', 'prompt\na fox\na hare\nan owl\n')
    const one = [...args, '--concurrency', '1']
    expect((await cli.run(one, { env: dear.env })).code).toBe(3)
    cli.server.limitKey(cli.server.apiKey, { credits: 1_000 })
    dear.price = 50
    const { code, stderr } = await cli.run(one, { env: dear.env })
    expect([code, cli.server.credits(), stderr]).toEqual([0, 992, expect.stringContaining('costs 100 credits')])
  })

  it('fetches a file that was not saved by the url that its job has now', async () => {
    let name = 'expired'
    const host = await serve(
      (request, response) => void response.writeHead(request.url === '/fresh' ? 200 : 403).end('x'),
    )
    const env = await serveBefore(cli, async (_, theirs) => {
      const [status, json] = await theirs()
      return [status, JSON.parse(JSON.stringify(json).replace(/"url":"[^"]*"/, `"url":"${host}/${name}"`))]
    })
    await cli.write('rows.csv', 'prompt\na fox\n')
    expect((await cli.run(args, { env })).code).toBe(4)
    name = 'fresh'
    expect((await cli.run(args, { env })).code).toBe(0)
  })

  it('follows no link in its folder, and says what an unknown row risks', async () => {
    await cli.write('rows.csv', 'prompt\na fox\n')
    await cli.write('victim', 'precious')
    await mkdir(join(cli.folder, 'out/.modelrun'), { recursive: true })
    for (const name of ['reserve', 'saved.jsonl'])
      await symlink(join(cli.folder, 'victim'), join(cli.folder, 'out/.modelrun', name))
    expect((await cli.run(args)).stderr).toContain('saved.jsonl is a link')
    await unlink(join(cli.folder, 'out/.modelrun/saved.jsonl'))
    cli.server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
    const { code, stderr } = await cli.run(args)
    expect([code, stderr]).toEqual([4, expect.stringMatching(/4 credits of them at risk[\s\S]* row 1 {2}sent at 20/)])
    expect(await cli.read('victim')).toBe('precious')
  })
})
