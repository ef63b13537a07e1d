import { beforeEach, describe, expect, it } from 'vitest'
import { BATCH, sendsByPrompt } from '../../test/batch-fixtures.ts'
import { CliHarness, serve } from '../../test/cli-harness.ts'

const ROWS = 400

let cli: CliHarness

/** The files come so much later. */
let delayMs: number

beforeEach(async () => {
  cli = await CliHarness.create({ credits: 1_000_000, retention: { journalBytes: 100_000_000 } })
  delayMs = 1_000
  const url = await serve((request, response) => {
    response.setHeader('content-type', 'image/png')
    setTimeout(() => response.end(request.url), delayMs)
  })
  cli.server.script(
    'aurora-image',
    Array.from({ length: ROWS }, (_, index) => ({
      result: 'succeeded' as const,
      output: { type: 'image', items: [{ type: 'image', url: `${url}/${index}.png` }] },
    })),
  )
  await cli.write('rows.jsonl', Array.from({ length: ROWS }, (_, index) => `{"prompt":"${index}"}`).join('\n'))
})

const ARGS = [...BATCH, '--inputs', 'rows.jsonl', '--concurrency', '64']

const sent = () => cli.bodies().length

describe('a batch whose files come slowly', () => {
  it('sends at most what is being sent after Ctrl-C, says so at once, and continues later', async () => {
    const { child, printed, ended } = cli.start(ARGS)
    await expect.poll(sent, { timeout: 20_000 }).toBeGreaterThan(70)
    child.kill('SIGINT')
    const atInterrupt = sent()
    await expect
      .poll(() => printed.stderr, { timeout: 20_000 })
      .toMatch(/^Stopping: no more rows are sent\. \d+ runs? under way\. Ctrl-C again ends now\.$/m)
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([130, expect.stringContaining('The same command again continues with the batch.')])
    expect(sent() - atInterrupt).toBeLessThanOrEqual(10) // those that were being sent
    delayMs = 0
    expect((await cli.run(ARGS)).code).toBe(0)
    const sends = sendsByPrompt(cli)
    expect([sends.size, Math.max(...sends.values())]).toEqual([ROWS, 1])
  })

  it('ends at once at the second Ctrl-C', async () => {
    // The service holds what is being sent.
    cli.server.faults.add({ kind: 'hang', route: 'runModel', when: 'after' })
    const { child, printed, ended } = cli.start(ARGS)
    const jobs = () => cli.server.journal.entries({ kind: 'job' }).length
    await expect.poll(jobs, { timeout: 20_000 }).toBeGreaterThan(0)
    child.kill('SIGINT')
    await expect.poll(() => printed.stderr).toContain('Ctrl-C again ends now.')
    const startedAt = performance.now()
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })

  it.each([
    ['is revoked', () => cli.server.revokeKey(cli.server.apiKey)],
    ['has no credits', () => cli.server.limitKey(cli.server.apiKey, { credits: 0 })],
  ])('stops when the key %s, and says how it continues', async (_, change) => {
    const { ended } = cli.start(ARGS)
    await expect.poll(sent, { timeout: 20_000 }).toBeGreaterThan(70)
    change()
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([3, expect.stringContaining('The same command again continues with it.')])
    const jobs = cli.server.journal.entries({ kind: 'job' }).length
    expect(jobs).toBeLessThan(ROWS)
  })
})
