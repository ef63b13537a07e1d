import { rm } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { BATCH, promptLines, sendsByPrompt, serveBefore } from '../../test/batch-fixtures.ts'
import { cli, serve, useCli } from '../../test/cli-harness.ts'

const ROWS = 400
const ARGS = [...BATCH, '--inputs', 'rows.jsonl', '--concurrency', '64']

/** Sends the files that were asked for, and from then on all at once. */
let releaseFiles: () => void

useCli({ credits: 1_000_000, retention: { journalBytes: 100_000_000 } })
beforeEach(async () => {
  const released = new Promise<void>((resolve) => {
    releaseFiles = resolve
  })
  const url = await serve(async (request, response) => {
    await released
    response.setHeader('content-type', 'image/png').end(request.url)
  })
  const items = Array.from({ length: ROWS }, (_, index) => [{ type: 'image', url: `${url}/${index}.png` }])
  cli.server.script(
    'aurora-image',
    items.map((one) => ({ result: 'succeeded' as const, output: { type: 'image', items: one } })),
  )
  await cli.write('rows.jsonl', promptLines(ROWS))
})

const sent = () => cli.bodies().length

describe('a batch whose files do not come', () => {
  it('sends at most what is being sent after Ctrl-C, says so at once, and continues later', async () => {
    const { child, printed, ended } = cli.start(ARGS)
    await expect.poll(sent).toBeGreaterThan(70)
    child.kill('SIGINT')
    const atInterrupt = sent()
    await expect
      .poll(() => printed.stderr)
      .toMatch(/^Stopping: no more rows are sent\. \d+ runs? under way\. Ctrl-C again ends now\.$/m)
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([130, expect.stringContaining('The same command again continues with the batch.')])
    expect(sent() - atInterrupt).toBeLessThanOrEqual(10) // those that were being sent
    releaseFiles()
    expect((await cli.run(ARGS)).code).toBe(0)
    const sends = sendsByPrompt(cli)
    expect([sends.size, Math.max(...sends.values())]).toEqual([ROWS, 1])
  })

  it('ends and says so when its folder is gone', async () => {
    const { ended } = cli.start(ARGS)
    await expect.poll(sent).toBeGreaterThan(70)
    await rm(`${cli.folder}/out`, { recursive: true })
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/was deleted or replaced.*their jobs are in the account\.\n$/s),
    ])
  })

  it.each([true, false])('reports runs that are sent without a response, their requests break: %s', async (breaks) => {
    const held: (() => void)[] = []
    const env = await serveBefore(cli, async (body, theirs) => {
      return body === undefined ? await theirs() : await new Promise((_resolve, reject) => held.push(reject))
    })
    const { child, ended } = cli.start([...ARGS, '--report', 'report.csv'], { env })
    await expect.poll(() => held.length).toBe(10)
    child.kill('SIGINT')
    await expect.poll(() => cli.read('report.csv').catch(String)).toContain('"running"')
    if (breaks) for (const fail of held) fail()
    else child.kill('SIGINT')
    const { code, stderr } = await ended
    expect([code, stderr.includes(', 40 credits of them at risk: ')]).toEqual([130, breaks])
    expect((await cli.read('report.csv')).match(breaks ? /"unknown"/g : /"running"/g)).toHaveLength(10)
  })

  it.each([
    ['is revoked', () => cli.server.revokeKey(cli.server.apiKey)],
    ['has no credits', () => cli.server.limitKey(cli.server.apiKey, { credits: 0 })],
  ])('stops when the key %s, and says how it continues', async (_, change) => {
    const { ended } = cli.start([...ARGS, '--json'])
    await expect.poll(sent).toBeGreaterThan(70)
    change()
    releaseFiles()
    const { code, stdout, stderr } = await ended
    expect(stdout).toMatch(/"type":"summary","total":400,.*"credits":\d+,.*\n.*"type":"error".*\n$/)
    expect([code, stderr]).toEqual([3, expect.stringContaining('The same command again continues with it.')])
    expect(cli.server.journal.entries({ kind: 'job' }).length).toBeLessThan(ROWS)
  })
})
