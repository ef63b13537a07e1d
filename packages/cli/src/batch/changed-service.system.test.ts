import { readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BATCH, serveBefore } from '../../test/batch-fixtures.ts'
import { CliHarness, serve } from '../../test/cli-harness.ts'

const args = [...BATCH, '--inputs', 'rows.csv']

describe('a batch whose service has changed', () => {
  it('fetches what was paid also when the model is gone and its urls have expired, and pays for no lost state', async () => {
    const cli = await CliHarness.create({ latency: 1_000 })
    const host = await serve(({ url }, response) => {
      response.writeHead(url === '/old.png' ? 403 : 200, { 'content-type': 'image/png' }).end(url)
    })
    let isGone = false
    let reads = 0
    const env = await serveBefore(cli, async (_, theirs) => {
      const [status, json] = await theirs()
      if ('pricing' in json)
        return isGone ? [404, { error: { code: 'NOT_FOUND', message: 'no such model' } }] : [200, json]
      const text = JSON.stringify(json)
      const items = () => `"url":"${host}/${reads++ === 0 ? 'old' : 'new'}.png"`
      return [status, JSON.parse(text.replace(/"url":"[^"]*"/g, items))]
    })
    await cli.write('rows.csv', 'prompt\na fox\n')
    const { child, ended } = cli.start(args, { env })
    await expect.poll(() => cli.bodies().length).toBeGreaterThan(0)
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
    isGone = true
    const gone = await cli.run(args, { env })
    expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('modelrun batch status --out out --fetch')])
    const fetched = await cli.run(['batch', 'status', '--out', 'out', '--fetch'], { env })
    expect([fetched.code, fetched.stdout]).toEqual([0, 'STATE      ROWS\nsucceeded  1\n'])
    expect([await readdir(join(cli.folder, 'out')), reads]).toEqual([
      ['.modelrun', expect.stringMatching(/^\w+-1-job_\w+-0\.png$/)],
      2,
    ])
    isGone = false
    await unlink(join(cli.folder, 'out/.modelrun/batch.db'))
    const lost = await cli.run(args, { env })
    expect([lost.code, lost.stderr]).toEqual([2, expect.stringContaining('batch.db is gone')])
    expect(cli.inputs()).toHaveLength(1)
  })
})
