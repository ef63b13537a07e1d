import { cp, readdir, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BATCH, sentRuns, serveBefore } from '../../test/batch-fixtures.ts'
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

  it('gives an unknown row its job by its key, without the model', async () => {
    const cli = await CliHarness.create()
    cli.server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
    await cli.write('rows.csv', 'prompt\na fox\n')
    expect((await cli.run(args)).code).toBe(4)
    const status = ['batch', 'status', '--out', 'out']
    const { stderr } = await cli.run(status)
    expect(stderr).toContain('add --job <key>=<job_id>')
    const [, key = ''] = /key (\w+-1) /.exec(stderr) ?? []
    const { jobId = '' } = sentRuns(cli)[0] ?? {}
    const wrong = await cli.run([...status, '--job', `${key}=job_none`])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('the service has no such job')])
    const decided = await cli.run([...status, '--job', `${key}=${jobId}`])
    expect([decided.code, decided.stdout]).toEqual([0, 'STATE      ROWS\nsucceeded  1\n'])
    expect(cli.inputs()).toHaveLength(1)
  })

  it('pays for no row again that an older database does not know, except with --new-rows', async () => {
    const cli = await CliHarness.create()
    const [state, old] = [join(cli.folder, 'out/.modelrun'), join(cli.folder, 'old')]
    await cli.write('rows.csv', 'prompt\na fox\n')
    await cli.run(args)
    await cp(state, old, { recursive: true })
    await cli.write('rows.csv', 'prompt\na fox\na hare\n')
    await cli.run(args)
    for (const name of await readdir(state)) if (name !== 'saved.jsonl') await rm(join(state, name))
    await cp(old, state, { recursive: true, filter: (path) => !path.endsWith('saved.jsonl') })
    const older = await cli.run(args)
    expect([older.code, older.stderr]).toEqual([3, expect.stringContaining('1 row of this file would be paid again')])
    expect(cli.inputs()).toHaveLength(2)
    expect((await cli.run([...args, '--new-rows'])).code).toBe(0)
    expect([cli.inputs().length, (await readdir(join(cli.folder, 'out'))).length]).toEqual([3, 4])
    expect((await cli.run(args)).code).toBe(0)
    expect(cli.inputs()).toHaveLength(3)
  })
})
