import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createRuns } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { ModelRun } from 'modelrun'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { promptLines, type SmallFiles, sendsByPrompt, serveSmallFiles } from '../../test/batch-fixtures.ts'
import { cli, openCli } from '../../test/cli-harness.ts'
import { mountSmallDisk, whyNoDisk } from '../../test/small-disk.ts'

const note = whyNoDisk()
const ROWS = 200

let files: SmallFiles
let disk: ReturnType<typeof mountSmallDisk>

describe.skipIf(note !== '')(`a full disk${note}`, () => {
  beforeEach(async () => {
    disk = mountSmallDisk(8)
    await openCli({ credits: 1_000_000, latency: 50, retention: { journalBytes: 100_000_000 } })
    files = await serveSmallFiles()
    files.script(cli, ROWS)
  })
  afterEach(() => disk.remove())

  it('stops a batch, which says so, and continues with the same command: each row is paid once', async () => {
    await cli.write('rows.jsonl', promptLines(ROWS))
    const out = join(disk.folder, 'out')
    const limits = ['--max-credits', '100000', '--polls-per-second', '1000']
    const args = ['batch', 'aurora-image', '--out', out, '--inputs', 'rows.jsonl', ...limits]
    const { ended } = cli.start(args)
    await expect.poll(() => cli.bodies().length).toBeGreaterThan(40)
    disk.fill()
    const { code, stderr } = await ended
    expect(stderr).toMatch(
      /The disk is full\. No more rows are sent; \d+ runs sent so far\. Their results are not lost\. Make space, then the same command again fetches them/,
    )
    expect(code).not.toBe(0)
    expect(cli.bodies().length).toBeLessThan(ROWS)
    disk.free()
    const again = await cli.run(args)
    expect([again.code, again.stdout]).toEqual([0, `STATE      ROWS\nsucceeded  ${ROWS}\n`])
    const sends = sendsByPrompt(cli)
    expect([sends.size, Math.max(...sends.values())]).toEqual([ROWS, 1])
    expect(readdirSync(out).filter((name) => name.endsWith('.png'))).toHaveLength(ROWS)
  })

  it('holds the runs of a store back, and none is sent twice or lost', async () => {
    const errors: unknown[] = []
    const onError = (error: unknown) => void errors.push(error)
    const engine = createSqliteEngine({ path: join(disk.folder, 'runs.db'), pollMs: 20, onError })
    await engine.setup()
    const client = new ModelRun({ apiKey: cli.server.apiKey, baseUrl: cli.url })
    const runs = createRuns({ engine, client, onError, pollRate: { max: 1_000, perMs: 1_000 } })
    for (let index = 0; index < ROWS; index += 1) await runs.add(`${index}`, 'aurora-image', { prompt: `${index}` })
    runs.start()
    await expect.poll(() => cli.bodies().length).toBeGreaterThan(20)
    disk.fill()
    await expect
      .poll(() => errors.map(String).join())
      .toContain('The disk of the SQLite file is full. What was stored is not lost')
    await expect(runs.add('large', 'aurora-image', { prompt: 'x'.repeat(100_000) })).rejects.toThrow(
      /is full.*this change was not made\. Make space/,
    )
    disk.free()
    const states: string[] = []
    for await (const { state } of runs.results()) states.push(state)
    const { unknown } = await runs.progress()
    expect([unknown, states.length]).toEqual([0, ROWS])
    expect(new Set(states)).toEqual(new Set(['succeeded']))
    const sends = sendsByPrompt(cli)
    expect([sends.size, Math.max(...sends.values())]).toEqual([ROWS, 1])
    await runs.stop()
    await engine.close()
  })
})
