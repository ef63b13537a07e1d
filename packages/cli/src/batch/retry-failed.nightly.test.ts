import { describe, expect, it } from 'vitest'
import {
  BATCH,
  FAILED,
  promptLines,
  rejecting,
  sendsByPrompt,
  sentRuns,
  serveSmallFiles,
} from '../../test/batch-fixtures.ts'
import { cli, useCli } from '../../test/cli-harness.ts'

useCli({ credits: 1_000_000, retention: { journalBytes: 100_000_000 } })

describe('modelrun batch --retry-failed', () => {
  it('runs failed rows again, and never those that succeeded', async () => {
    cli.server.script('aurora-image', [FAILED, FAILED])
    await cli.write('rows.jsonl', '{"prompt":"a"}\n{"prompt":"b"}\n{"prompt":"c"}\n')
    const args = [...BATCH, '--inputs', 'rows.jsonl', '--concurrency', '1', '--report', 'report.csv']
    const first = await cli.run(args)
    expect([first.code, first.stdout]).toEqual([1, expect.stringMatching(/^failed +2 +add --retry-failed/m)])
    // Without the option nothing is sent.
    await cli.run(args)
    expect(cli.inputs()).toHaveLength(3)
    cli.server.script('aurora-image', [{ result: 'succeeded' }, FAILED])
    const second = await cli.run([...args, '--retry-failed'])
    expect([second.code, second.stderr]).toEqual([
      1,
      expect.stringContaining('A batch of 2 runs of aurora-image costs 8 credits'),
    ])
    expect(second.stderr).toMatch(/2 rows run again[\s\S]* row \d {2}attempt 2 {2}job_/)
    expect((await cli.read('report.csv')).match(/,"2",("http[^"]+","4"|,),[^,]*,[^,]*,"\w"\r$/gm)).toHaveLength(2)
    // Only the row that failed twice.
    const third = await cli.run([...args, '--retry-failed'])
    expect([third.code, third.stdout]).toEqual([0, 'STATE      ROWS\nsucceeded  3\n'])
    expect([...sendsByPrompt(cli).values()].toSorted()).toEqual([1, 2, 3])
    const last = await cli.run([...args, '--retry-failed'])
    expect([last.code, cli.inputs().length]).toEqual([0, 6])
  })

  it('sends a rejected row again, with its corrected input where a column names the rows', async () => {
    const { env, rejected } = await rejecting(cli, (prompt) => prompt.startsWith('bad'))
    const args = [...BATCH, '--inputs', 'rows.csv', '--key', 'id']
    await cli.write('rows.csv', 'id,prompt\nx1,bad fox\nx2,hare\n')
    const first = await cli.run(args, { env })
    expect([first.code, first.stdout]).toEqual([3, expect.stringMatching(/^rejected +1 +add --retry-failed/m)])
    await cli.run([...args, '--retry-failed'], { env })
    expect(rejected).toEqual(['bad fox', 'bad fox'])
    await cli.write('rows.csv', 'id,prompt\nx1,good fox\nx2,hare\n')
    expect(await cli.run([...args, '--retry-failed'], { env })).toMatchObject({ code: 0 })
    expect(await cli.run(args, { env })).toMatchObject({ code: 0 })
    expect(Object.fromEntries(sendsByPrompt(cli))).toEqual({ hare: 1, 'good fox': 1 })
  })

  it('leaves an unknown row to an explicit choice', async () => {
    cli.server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
    cli.server.script('aurora-image', [FAILED])
    await cli.write('rows.jsonl', '{"prompt":"a"}\n')
    const args = [...BATCH, '--inputs', 'rows.jsonl']
    expect((await cli.run([...args, '--retry-failed'])).code).toBe(4)
    expect((await cli.run([...args, '--retry-failed'])).code).toBe(4)
    // The choice: it is this job. The job has failed, so the row can be retried from now on.
    const decided = await cli.run([...args, '--job', `1=${sentRuns(cli)[0]?.jobId}`])
    expect([decided.code, cli.inputs().length]).toEqual([1, 1])
    expect((await cli.run([...args, '--retry-failed'])).code).toBe(0)
    expect(cli.inputs()).toHaveLength(2)
  })

  it.each([
    ['is rejected', 4, 'Sent again: [CONTENT_POLICY]'],
    ['fails', 4, 'Sent again: PROVIDER_FAILURE: no paint'],
    ['waits for credits', 3, 'INSUFFICIENT_CREDITS'],
  ])(
    'ends an unknown row by the job that the user names, also when what was sent again %s',
    async (how, code, text) => {
      cli.server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
      cli.server.script('aurora-image', [{ result: 'succeeded' }, FAILED])
      await cli.write('rows.jsonl', '{"prompt":"a"}\n')
      const args = [...BATCH, '--inputs', 'rows.jsonl']
      let isRejected = false
      const { env } = await rejecting(cli, () => isRejected)
      expect((await cli.run(args, { env })).code).toBe(4)
      isRejected = how === 'is rejected'
      if (how === 'waits for credits') cli.server.limitKey(cli.server.apiKey, { credits: 0 })
      const again = await cli.run([...args, '--resubmit-unknown'], { env })
      expect([again.code, again.stderr]).toEqual([code, expect.stringMatching(/ 4 credits of them at risk/)])
      expect(again.stderr).toContain(text)
      const sent = cli.inputs().length
      const status = ['batch', 'status', '--out', 'out']
      expect((await cli.run(status, { env })).stderr).toContain('4 credits of them at risk')
      const decided = await cli.run([...args, '--job', `1=${sentRuns(cli)[0]?.jobId}`], { env })
      expect([decided.code, decided.stdout]).toEqual([0, 'STATE      ROWS\nsucceeded  1\n'])
      expect(await cli.run(status, { env })).toMatchObject({
        stdout: decided.stdout,
        stderr: expect.not.stringContaining('risk'),
      })
      expect(cli.inputs()).toHaveLength(sent)
    },
  )

  it('counts every send of a row that may be paid, and forgets one that was withdrawn', async () => {
    cli.server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 2 })
    cli.server.script('aurora-image', [FAILED, FAILED, FAILED])
    await cli.write('rows.jsonl', '{"prompt":"a"}\n')
    const args = [...BATCH, '--inputs', 'rows.jsonl', '--report', 'report.jsonl']
    await cli.run(args)
    for (const hasResponse of [false, true]) {
      const { code, stderr } = await cli.run([...args, '--resubmit-unknown'])
      expect([code, stderr]).toEqual([4, expect.stringContaining('8 credits of them at risk')])
      expect(stderr.includes('Sent again')).toBe(hasResponse)
      expect(JSON.parse(await cli.read('report.jsonl')).sent_at.split(' ')).toHaveLength(2)
    }
    cli.server.limitKey(cli.server.apiKey, { credits: 0 })
    await cli.run([...args, '--resubmit-unknown'])
    const status = ['batch', 'status', '--out', 'out', '--json']
    expect((await cli.run(status)).stdout).toMatch(/"state":"waiting".*"sent_at":".*"at_risk":8/)
    // Jobs that have failed: so has the row, once all of them are known, whatever waited to be sent again.
    const [first, second] = sentRuns(cli).map(({ jobId }) => ['--job', `1=${jobId}`])
    for (const [job, code, state] of [
      [second, 4, 'unknown'],
      [first, 1, 'failed'],
      [[], 1, 'failed'],
    ] as const) {
      const ended = await cli.run([...args, ...(job ?? [])])
      expect([ended.code, ended.stdout]).toEqual([code, expect.stringMatching(new RegExp(`^${state} +1 `, 'm'))])
    }
  })

  it('is limited by --max-credits, which counts every attempt', async () => {
    cli.server.script('aurora-image', [FAILED])
    await cli.write('rows.jsonl', '{"prompt":"a"}\n')
    const args = [...BATCH, '--inputs', 'rows.jsonl', '--retry-failed', '--max-credits', '7']
    expect((await cli.run(args)).code).toBe(1)
    const { code, stderr } = await cli.run(args)
    expect([code, stderr]).toEqual([3, expect.stringContaining('costs 8 credits, more than --max-credits 7')])
    expect(cli.inputs()).toHaveLength(1)
  })

  it('counts the runs that an earlier command left waiting, also when the file does not have their rows any more', async () => {
    cli.server.script('aurora-image', [FAILED, FAILED, FAILED])
    await cli.write('rows.jsonl', promptLines(3))
    const args = ['batch', 'aurora-image', '--out', 'out', '--inputs', 'rows.jsonl', '--concurrency', '1']
    await cli.run([...args, '--yes'])
    cli.server.faults.add({ kind: 'slow-headers', route: 'runModel', when: 'after', delay_ms: 5_000 })
    const { child, ended } = cli.start([...args, '--yes', '--retry-failed'])
    await expect.poll(() => cli.bodies().length).toBeGreaterThan(3)
    child.kill('SIGKILL')
    await ended
    const sent = cli.bodies().length
    await cli.write('rows.jsonl', '{"prompt":"new"}\n')
    const { code, stderr } = await cli.run([...args, '--new-rows', '--max-credits', '20'])
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/whole batch costs 2\d credits, more than --max-credits 20/),
    ])
    expect(cli.bodies()).toHaveLength(sent)
  })

  it('sends each attempt of a row at most once when it is killed', { timeout: 300_000 }, async () => {
    const ROWS = 300
    cli.server.script(
      'aurora-image',
      Array.from({ length: ROWS }, () => FAILED),
    )
    await cli.write('rows.jsonl', promptLines(ROWS))
    const args = [...BATCH, '--inputs', 'rows.jsonl', '--concurrency', '20']
    expect((await cli.run(args)).code).toBe(1)
    const files = await serveSmallFiles()
    files.script(cli, ROWS)
    for (const share of [0, 0.2, 0.5, 0.8]) {
      const { child, ended } = cli.start([...args, '--retry-failed'])
      const wanted = ROWS + share * ROWS
      await Promise.race([ended, expect.poll(() => cli.bodies().length).toBeGreaterThan(wanted)])
      child.kill('SIGKILL')
      await ended
    }
    // All retries were stored before the first was sent: they continue without the option.
    const { events } = await cli.events(...args)
    const sends = [...sendsByPrompt(cli).values()]
    expect([sends.length, Math.max(...sends)]).toEqual([ROWS, 2])
    const rows = events.filter(({ type }) => type === 'row')
    const unknown = rows.filter(({ state }) => state === 'unknown').length
    expect(rows.filter(({ attempt }) => attempt === 2)).toHaveLength(ROWS)
    expect(events.at(-1)).toMatchObject({ type: 'summary', succeeded: ROWS - unknown, failed: 0, unknown })
  })
})
