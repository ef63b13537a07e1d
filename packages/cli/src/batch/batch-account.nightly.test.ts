import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { beforeEach, describe, expect, it } from 'vitest'
import { BATCH, type SmallFiles, sendsByPrompt, serveSmallFiles } from '../../test/batch-fixtures.ts'
import { cli, useCli } from '../../test/cli-harness.ts'

let files: SmallFiles

useCli()
beforeEach(async () => {
  files = await serveSmallFiles()
  files.script(cli, 10)
  await cli.write('rows.jsonl', '{"prompt":"a"}\n{"prompt":"b"}\n')
})

const ARGS = [...BATCH, '--inputs', 'rows.jsonl']
const STATUS = ['batch', 'status', '--out', 'out']

describe('the folder of a batch', () => {
  it('rejects another service before anything is sent or polled, and names both', async () => {
    expect((await cli.run(ARGS)).code).toBe(0)
    const other = createReferenceServer({ apiKey: cli.server.apiKey })
    const listening = await listen(other)
    for (const args of [ARGS, [...STATUS, '--fetch'], [...STATUS, '--job', 'a=job_1']]) {
      const { code, stderr } = await cli.run(args, { env: { MODELRUN_BASE_URL: listening.url } })
      expect([code, stderr]).toEqual([2, expect.stringContaining(cli.url)])
      expect(stderr).toContain(listening.url)
    }
    await listening.close()
    expect(other.journal.entries({ kind: 'request' })).toEqual([])
    expect((await cli.run(ARGS, { env: { MODELRUN_BASE_URL: `${cli.url}/` } })).code).toBe(0)
  })

  it('rejects another key, which may be of another account, until --same-account is added once', async () => {
    await cli.write('first.jsonl', '{"prompt":"a"}\n')
    await cli.run([...BATCH, '--inputs', 'first.jsonl'])
    const rotated = { MODELRUN_API_KEY: cli.server.rotateKey(cli.server.apiKey).key }
    const rejected = await cli.run(ARGS, { env: rotated })
    expect([rejected.code, rejected.stderr]).toEqual([2, expect.stringContaining('add --same-account once')])
    expect(Object.fromEntries(sendsByPrompt(cli))).toEqual({ a: 1 })
    expect((await cli.run([...STATUS, '--fetch'], { env: rotated })).code).toBe(2)
    expect((await cli.run([...STATUS, '--fetch', '--same-account'], { env: rotated })).code).toBe(0)
    expect((await cli.run(ARGS, { env: rotated })).code).toBe(0)
    expect(Object.fromEntries(sendsByPrompt(cli))).toEqual({ a: 1, b: 1 })
  })

  it('belongs to no account after a dry run alone, and has no key in it', async () => {
    const { key } = cli.server.createKey({ permissions: ['models:read'] })
    expect((await cli.run([...ARGS, '--dry-run'], { env: { MODELRUN_API_KEY: key } })).code).toBe(0)
    expect((await cli.run(ARGS)).code).toBe(0)
    const stored = await readFile(join(cli.folder, 'out/.modelrun/account.json'), 'utf8')
    expect(JSON.parse(stored)).toMatchObject({ baseUrl: cli.url, key: expect.stringMatching(/^sk_test_… \(\w{12}\)$/) })
    expect(stored).not.toContain(cli.server.apiKey.slice(8))
  })
})
