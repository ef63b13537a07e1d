import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, useCli } from '../../test/cli-harness.ts'

useCli()

const stored = () => join(cli.folder, 'config/modelrun/profiles.json')
const storedText = () => readFileSync(stored(), 'utf8')
/** Without the variables of the service. */
const run = (args: string[], more: Record<string, string> = {}, input?: string) =>
  cli.run(args, { env: { MODELRUN_API_KEY: undefined, MODELRUN_BASE_URL: undefined, ...more }, input })
const login = () => run(['login', '--base-url', cli.url], {}, `${cli.server.apiKey}\n`)

describe('modelrun login', () => {
  it('stores url and key for their user alone, and every command uses them until logout', async () => {
    expect(await login()).toMatchObject({ code: 0, stdout: '', stderr: `Stored ${cli.url} and its key.\n` })
    expect(statSync(stored()).mode & 0o777).toBe(0o600)
    expect((await run(['models'])).code).toBe(0)
    expect((await run(['doctor'])).stdout).toContain('A test key from `modelrun login`.')
    expect((await run(['logout'])).code).toBe(0)
    expect(storedText()).not.toContain('sk_test_')
    expect((await run(['logout'])).code).toBe(2)
    expect(await run(['models'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Store one with `modelrun login`'),
    })
  })

  it('reads the default profile of 0.1.0, and keeps its others', async () => {
    await login()
    const { profiles } = JSON.parse(storedText())
    const old = { base_url: cli.url, key: 'sk_test_…abcd', stored_in: 'file', ...profiles.default }
    await cli.write('config/modelrun/profiles.json', JSON.stringify({ v: 1, profiles: { default: old, work: old } }))
    expect((await run(['models'])).code).toBe(0)
    await login()
    expect(JSON.parse(storedText()).profiles.work).toEqual(old)
  })

  it.each([
    ['MODELRUN_BASE_URL', 'http://127.0.0.1:48989', 'set MODELRUN_API_KEY too'],
    ['MODELRUN_API_KEY', 'sk_test_of_another_account', 'set MODELRUN_BASE_URL too'],
  ])('never combines what is stored with %s alone', async (name, value, advice) => {
    await login()
    const { code, stderr } = await run(['models'], { [name]: value })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${name} is not combined with url and key`)])
    expect(stderr).toContain(`for ${cli.url}. Nothing was sent.`)
    expect(stderr).toContain(advice)
  })

  it('lets both variables win over what is stored', async () => {
    await login()
    const other = { MODELRUN_BASE_URL: 'http://127.0.0.1:48989', MODELRUN_API_KEY: cli.server.apiKey }
    expect((await run(['models'], other)).stderr).toContain('48989')
  })

  it.for<[title: string, input: string, args: string[], code: number, text: string]>([
    ['a key that the service does not accept', 'sk_test_wrong', [], 3, 'Nothing was stored'],
    ['no key', '', [], 2, 'There is no API key'],
    ['a live key over plain http', 'sk_live_abc', ['--base-url', 'http://192.0.2.1:9'], 2, 'set MODELRUN_ALLOW_HTTP=1'],
    ['two lines', 'sk_test_a\nsk_test_b', [], 2, 'has white space in it'],
    ['a dead url', 'x', ['--base-url', 'http://127.0.0.1:48989'], 3, 'ECONNREFUSED'],
    ['a key as an argument', '', ['sk_test_argument'], 2, 'too many arguments'],
  ])('stores nothing for %s', async ([, input, args, code, text]) => {
    const finished = await run(['login', '--base-url', cli.url, ...args], {}, input)
    expect([finished.code, finished.stderr]).toEqual([code, expect.stringContaining(text)])
    expect(finished.stderr).not.toMatch(/sk_(test|live)_\w/)
    expect((await run(['logout'])).stderr).toContain('No url and key are stored.')
  })

  it('does not show the key while it is typed, and stores nothing at Ctrl-C', async () => {
    const none = { env: { MODELRUN_API_KEY: '', MODELRUN_BASE_URL: '' } }
    for (const keys of ['\x03', `${cli.server.apiKey}\r`]) {
      const terminal = cli.inTerminal(['login'], none)
      await terminal.waitFor(/Url of the service: /)
      terminal.pty.write(`${cli.url}\r`)
      await terminal.waitFor(/\(not shown\): /)
      terminal.pty.write(keys)
      expect(await terminal.ended).toBe(keys === '\x03' ? 130 : 0)
      expect(terminal.drawn()).not.toContain(cli.server.apiKey)
      if (keys === '\x03') expect(storedText).toThrow('ENOENT')
      else expect(storedText()).toContain(cli.server.apiKey)
    }
  })
})
