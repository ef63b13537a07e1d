import { copyFile, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import { type ListeningServer, listen } from '@modelrun/reference-server/node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { folderForFile } from '../../../kit/test/temp-folder.ts'
import { startNode } from '../../../reference-server/test/cli-process.ts'
import { FAILING_MODEL, largeCatalog, MAIN_MODEL } from '../../test/catalog.ts'
import { keysOf, SLOW_MODEL } from '../../test/reference-service.ts'
import type { ConformanceReport } from '../report.ts'

/** So many times as fast as real time. */
const SCALE = 30
/** Judged by durations, which are longer on a busy machine. */
const TIMED = ['runs/async-at-once', 'runs/held-time', 'runs/waits']

let server: ReferenceServer
let listening: ListeningServer
const folder = folderForFile()

beforeAll(async () => {
  server = createReferenceServer({ clock: { scale: SCALE }, catalog: largeCatalog() })
  server.script(FAILING_MODEL, Array(20).fill({ result: 'failed' }))
  listening = await listen(server)
})

afterAll(async () => {
  await listening.close()
  await server.close()
})

/** Runs the command from its sources. */
function conformance(args: readonly string[], env: Record<string, string> = {}) {
  const cli = fileURLToPath(new URL('./cli.ts', import.meta.url))
  return startNode(['--conditions=@modelrun/source', cli, ...args], 'ignore', { PATH: process.env.PATH, ...env }).ended
}

const withKey = (key: string) => ({ MODELRUN_API_KEY: key })
const variableOf = (name: string) => `MODELRUN_${name.toUpperCase().replaceAll('-', '_')}_KEY`

describe('modelrun-conformance', () => {
  it('checks a whole service over sockets, webhooks included, and writes its reports', async () => {
    const keys = Object.entries(keysOf(server)).map(([name, key]) => [variableOf(name), key])
    const json = join(folder, 'report.json')
    const args = [
      ...['--base-url', listening.url],
      ...['--allow-runs', '--max-credits', '3000', '--time-scale', String(SCALE)],
      ...['--model', MAIN_MODEL, '--slow-model', SLOW_MODEL, '--failing-model', FAILING_MODEL],
      ...['--json', json],
    ]
    const env = { ...withKey(server.apiKey), ...Object.fromEntries(keys) }
    const { code, stdout, stderr } = await conformance(args, env)
    const report: ConformanceReport = JSON.parse(await readFile(json, 'utf8'))
    const namesOf = (verdict: string) =>
      report.results.filter((one) => one.verdict === verdict).map(({ check }) => check)
    expect(namesOf('skipped')).toEqual(['charges/every-run', 'settings/creditsOfFailedRun'])
    const failed = namesOf('fail')
    expect(failed.filter((check) => !TIMED.includes(check))).toEqual([])
    expect(code).toBe(failed.length === 0 ? 0 : 1)
    expect(stdout).toContain('Observed where the specification is silent')
    expect(stderr).toContain('...  run: held\n')
    expect(stdout + stderr + JSON.stringify(report)).not.toContain(server.apiKey)
  })

  it('reads only and costs nothing by default, with key and address from the environment', async () => {
    const { key } = server.createKey({ credits: 500 })
    const { code, stdout } = await conformance([], {
      MODELRUN_BASE_URL: listening.url,
      MODELRUN_API_KEY: key,
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/: \d+ passed, 0 failed, \d+ observed, \d+ skipped; no credits were spent; \d+ s\n$/)
    expect(server.credits(key)).toBe(500)
  })

  it('ends with exit code 1 and the proof when something fails', async () => {
    const list = { models: [], total: 'many', limit: 20, offset: 0 }
    const reply = { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(list) }
    const other = await listen({ transport: { set: () => {}, handle: async () => reply } })
    onTestFinished(other.close)
    const args = ['--base-url', other.url, '--only', 'models']
    const { code, stdout } = await conformance(args, withKey('sk_test_x'))
    expect(code).toBe(1)
    expect(stdout).toContain('A list holds total, an integer.')
    expect(stdout).toContain(`> GET ${other.url}/v1/models?limit=1\n`)
    expect(stdout).toContain('200 after')
  })

  it.each<[string[], RegExp]>([
    [['--allow-runs', '--max-credits', '3'], /^The plan could cost \d+ credits; the limit is 3\. Nothing was run\./],
    [['--max-credits', 'all'], /^--max-credits must be /],
    [['--json', join(tmpdir(), 'missing', 'report.json')], /^The report \S+ cannot be written: ENOENT/],
    [['--read-credits-command', 'echo none'], /^--read-credits-command must print a number, not "none"\.$/],
  ])('ends with exit code 2 and one sentence for %j', async (args, sentence) => {
    const { code, stdout, stderr } = await conformance(['--base-url', listening.url, ...args], withKey(server.apiKey))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.trim().replace('modelrun-conformance: ', '')).toMatch(sentence)
  })

  it('prints its help and its version', async () => {
    const { code, stdout, stderr } = await conformance(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of ['--base-url ', '--max-credits ', '--json ', 'MODELRUN_REVOKED_KEY: ', '--webhook-url '])
      expect(stdout).toContain(name)
    expect((await conformance(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

it('the command of a checkout that is not built says in one line to run the build', async () => {
  const bin = join(folder, 'modelrun-conformance.mjs')
  await copyFile(new URL('../../bin/modelrun-conformance.js', import.meta.url), bin)
  expect(await startNode([bin]).ended).toEqual({
    code: 2,
    stdout: '',
    stderr: 'modelrun-conformance is not built yet: run `npm run build` first.\n',
  })
})
