import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { CliHarness } from '../../test/cli-harness.ts'

let cli: CliHarness
/** No variable of the service. */
let env: Record<string, string | undefined>

beforeEach(async () => {
  cli = await CliHarness.create()
  env = { MODELRUN_API_KEY: undefined, MODELRUN_BASE_URL: undefined }
})

const storedText = () => readFileSync(join(cli.folder, 'config/modelrun/profiles.json'), 'utf8')
const run = (args: string[], more: Record<string, string> = {}) => cli.run(args, { env: { ...env, ...more } })

function login(...more: string[]) {
  return cli.run(['login', '--base-url', cli.url, ...more], { input: `${cli.server.apiKey}\n`, env })
}

describe('modelrun login', () => {
  it('stores url and key for their user alone, and every command uses them', async () => {
    expect(await login()).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('as the profile default'),
    })
    expect(statSync(join(cli.folder, 'config/modelrun/profiles.json')).mode & 0o777).toBe(0o600)
    expect((await run(['models'])).code).toBe(0)
    const { stdout } = await run(['profiles', '--json'])
    const key = `sk_test_…${cli.server.apiKey.slice(-4)}`
    expect(JSON.parse(stdout)).toEqual({
      v: 1,
      type: 'profile',
      name: 'default',
      base_url: cli.url,
      key,
      stored_in: 'file',
    })
    expect((await run(['doctor'])).stdout).toContain('key from the profile default.')
    expect((await run(['logout'])).code).toBe(0)
    expect(storedText()).not.toContain('sk_test_')
    expect(await run(['models'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Store one with `modelrun login`'),
    })
  })

  it('keeps several profiles apart, by option and by variable', async () => {
    await login('--profile', 'one')
    expect((await run(['models', '--profile', 'one'])).code).toBe(0)
    expect((await run(['run', 'aurora-image', 'x', '--no-wait', '--profile', 'one'])).code).toBe(0)
    expect((await run(['models'], { MODELRUN_PROFILE: 'one' })).code).toBe(0)
    expect(await run(['models', '--profile', 'two'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no profile two. There are: one.'),
    })
  })

  it.each([
    ['MODELRUN_BASE_URL', 'http://127.0.0.1:48989', ['has the url http://127.0.0.1:48989', 'set MODELRUN_API_KEY too']],
    ['MODELRUN_API_KEY', 'sk_test_of_another_account', ['has the key', 'set MODELRUN_BASE_URL too']],
  ])('never combines a profile with %s alone', async (name, value, [has, advice]) => {
    await login()
    const { code, stderr } = await run(['models'], { [name]: value })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${name} ${has}, and the profile default has`)])
    expect(stderr).toContain(advice)
    expect(stderr).toContain(`for ${cli.url}`)
  })

  it('lets both variables win over a profile, and says so when it is named', async () => {
    await login()
    const other = { MODELRUN_BASE_URL: cli.url, MODELRUN_API_KEY: cli.server.createKey().key }
    expect(await run(['models'], other)).toMatchObject({ code: 0, stderr: '' })
    const { stderr } = await run(['models', '--profile', 'default'], other)
    expect(stderr).toContain('MODELRUN_BASE_URL and MODELRUN_API_KEY win over the profile default.')
  })

  it.each([
    { name: 'a key that the service does not accept', input: 'sk_test_wrong', code: 3, text: 'Nothing was stored' },
    { name: 'no key', input: '', text: 'There is no API key' },
    {
      name: 'a live key over plain http',
      input: 'sk_live_abc',
      args: ['--base-url', 'http://192.0.2.1:9'],
      text: 'everyone on the way can read the key',
    },
    { name: 'two lines', input: 'sk_test_a\nsk_test_b', text: 'more than one line' },
    { name: 'a dead url', input: 'x', args: ['--base-url', 'http://127.0.0.1:48989'], code: 3, text: 'ECONNREFUSED' },
    { name: 'a strange name', input: 'x', args: ['--profile', '../x'], text: 'letters, digits, dots and dashes' },
    { name: 'a key as an argument', input: '', args: ['sk_test_argument'], text: 'too many arguments' },
  ])('stores nothing for $name', async ({ input, args = [], code = 2, text }) => {
    const finished = await cli.run(['login', '--base-url', cli.url, ...args], { input, env })
    expect([finished.code, finished.stderr]).toEqual([code, expect.stringContaining(text)])
    expect(finished.stderr).not.toMatch(/sk_(test|live)_\w/)
    expect((await run(['profiles'])).stderr).toContain('No profile is stored here.')
  })

  it('says what to do about a key that 0.1.0 has stored in the keychain of the system', async () => {
    await login()
    const stored = { base_url: cli.url, key: 'sk_test_…abcd', stored_in: 'keychain' }
    const profiles = JSON.stringify({ v: 1, profiles: { default: stored, old: stored } })
    await cli.write('config/modelrun/profiles.json', profiles)
    expect(await run(['models'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'is in the keychain of the system, which is not read any more. Store it again with:',
      ),
    })
    const advice = expect.stringContaining('still in the keychain of the system: remove the entry "modelrun"')
    expect(await login()).toMatchObject({ code: 0, stderr: advice })
    expect(await run(['logout', '--profile', 'old'])).toMatchObject({ code: 0, stderr: advice })
    expect((await run(['models'])).code).toBe(0)
  })

  it('does not show the key while it is typed, and stores nothing at Ctrl-C', async () => {
    const terminal = cli.inTerminal(['login'], { env: { MODELRUN_API_KEY: '', MODELRUN_BASE_URL: '' } })
    await terminal.waitFor(/Url of the service: /)
    terminal.pty.write(`${cli.url}\r`)
    await terminal.waitFor(/\(not shown\): /)
    terminal.pty.write(`${cli.server.apiKey}\r`)
    expect(await terminal.ended).toBe(0)
    expect(terminal.drawn()).not.toContain(cli.server.apiKey)
    expect(storedText()).toContain(cli.server.apiKey)
    const interrupted = cli.inTerminal(['login', '--profile', 'other'])
    await interrupted.waitFor(/\(not shown\): /)
    interrupted.pty.write('\x03')
    expect(await interrupted.ended).toBe(130)
    expect(storedText()).not.toContain('other')
  })
})
