import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { delimiter, join } from 'node:path'
import { type IPty, spawn } from '@lydell/node-pty'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CliHarness } from '../test-kit/cli-harness.ts'

let cli: CliHarness
let shell: IPty | undefined

beforeEach(async () => {
  cli = await CliHarness.create()
  await mkdir(join(cli.folder, 'bin'))
  const command = join(cli.folder, 'bin/modelrun')
  await writeFile(command, `#!/bin/sh\nexec ${process.execPath} ${cli.command} "$@"\n`)
  await chmod(command, 0o755)
})

afterEach(async () => {
  shell?.kill('SIGKILL')
  shell = undefined
  await cli.close()
})

function hasShell(name: string): boolean {
  return spawnSync(name, ['-c', 'exit 0']).status === 0
}

const cacheFolder = () => join(cli.folder, 'state/models')

/** Types into an interactive bash that has the script, and gives what it has drawn when a line is complete. */
async function typeInBash(...lines: string[]): Promise<string> {
  const { stdout } = await cli.run(['completion', 'bash'])
  await writeFile(join(cli.folder, 'completion.bash'), stdout)
  const PATH = `${join(cli.folder, 'bin')}${delimiter}${process.env.PATH}`
  // No service: completion calls none.
  const env = cli.env({ PATH, PS1: 'ready> ', TERM: 'xterm', MODELRUN_API_KEY: undefined })
  shell = spawn('bash', ['--norc', '--noprofile', '-i'], { cols: 200, rows: 50, cwd: cli.folder, env })
  const bash = shell
  let drawn = ''
  bash.onData((data) => {
    drawn += data
  })
  const until = (text: string) => expect.poll(() => drawn, { timeout: 20_000 }).toContain(text)
  await until('ready> ')
  bash.write("source completion.bash; bind 'set bell-style none'; echo is-$((1+1))-there\r")
  await until('is-2-there')
  for (const [index, line] of lines.entries()) {
    bash.write(`${line}`)
    // Keys that come after a completion wait for it: the shell reads one at a time.
    bash.write(`\x15echo end-$((${index}+100))\r`)
    await until(`end-${index + 100}`)
  }
  return drawn
}

/** A service with these ids. */
async function listHostileIds(ids: readonly string[]): Promise<void> {
  const models = ids.map((id) => ({
    id,
    name: 'x',
    description: 'x',
    category: 'text-to-image',
    provider: 'x',
    status: 'active',
    pricing: { credits_per_run: 1 },
  }))
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ models, total: models.length, limit: 100, offset: 0 }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  // The ids are noted for the url that the shell has.
  const { code } = await cli.run(['models'], { env: { MODELRUN_BASE_URL: url } })
  expect(code).toBe(0)
  const [file = ''] = readdirSync(cacheFolder())
  const text = await readFile(join(cacheFolder(), file), 'utf8')
  await cli.run(['model', 'aurora-image'])
  for (const other of readdirSync(cacheFolder())) await writeFile(join(cacheFolder(), other), text)
  server.close()
}

const HOSTILE = [
  'aurora-$(touch HACKED)',
  'aurora-`touch HACKED`',
  'aurora-;touch HACKED;',
  'aurora-\ntouch HACKED\n',
  "aurora-';touch HACKED;'",
  'aurora-\x1b]0;HACKED\x07',
  'aurora-\x1b[31mHACKED',
  '--base-url=HACKED',
  'aurora-* HACKED',
  '\u202eaurora-HACKED',
]

describe('completion of model ids', () => {
  it('completes the ids that commands have seen, in bash, without a call of the service', async () => {
    await cli.run(['models'])
    const requests = cli.server.journal.entries({ kind: 'request' }).length
    const drawn = await typeInBash(
      'modelrun run aurora-i\t',
      'modelrun model lumen/aurora-v\t',
      'modelrun batch inkfield/r\t',
    )
    expect(drawn).toContain('modelrun run aurora-image ')
    expect(drawn).toContain('modelrun model lumen/aurora-video ')
    expect(drawn).toMatch(/modelrun batch inkfield\/restyle /)
    expect(cli.server.journal.entries({ kind: 'request' })).toHaveLength(requests)
  })

  it('keeps the ids of each url apart, for their user alone', async () => {
    await cli.run(['models', '--base-url', `${cli.url}/`], { env: { MODELRUN_BASE_URL: undefined } })
    const [file = ''] = readdirSync(cacheFolder())
    expect(statSync(cacheFolder()).mode & 0o777).toBe(0o700)
    expect(statSync(join(cacheFolder(), file)).mode & 0o777).toBe(0o600)
    const ids = async (...words: string[]) => (await cli.run(['complete-model-ids', '--', ...words])).stdout
    expect(await ids('modelrun', 'run', '')).toContain('aurora-image\n')
    expect(await ids('modelrun', 'run', '--base-url', 'http://other.example')).toBe('')
  })

  it('notes a model that was used, also when the catalog was never listed', async () => {
    await cli.run(['model', 'aurora-image'])
    expect((await cli.run(['complete-model-ids'])).stdout).toBe('aurora-image\n')
    await cli.run(['models'])
    expect((await cli.run(['complete-model-ids'])).stdout.split('\n').length).toBeGreaterThan(3)
  })

  it('neither runs nor prints hostile ids', async () => {
    await listHostileIds([...HOSTILE, 'aurora-fine'])
    const drawn = await typeInBash('modelrun run aur\t', 'modelrun run \t\t', 'modelrun model \t\t')
    expect(drawn).toContain('modelrun run aurora-fine ')
    expect(drawn).not.toContain('HACKED')
    expect(existsSync(join(cli.folder, 'HACKED'))).toBe(false)
  })

  it('does not trust the file either', async () => {
    await cli.run(['model', 'aurora-image'])
    const [file = ''] = readdirSync(cacheFolder())
    await writeFile(join(cacheFolder(), file), JSON.stringify([...HOSTILE, 7, null, 'aurora-fine']))
    const drawn = await typeInBash('modelrun run aur\t', 'modelrun run \t\t')
    expect(drawn).toContain('modelrun run aurora-fine ')
    expect(drawn).not.toContain('HACKED')
    await writeFile(join(cacheFolder(), file), '{"not":"a list"')
    expect(await cli.run(['complete-model-ids'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it.skipIf(!hasShell('fish'))('completes in fish (skipped without fish)', async () => {
    await listHostileIds([...HOSTILE, 'aurora-fine'])
    const { stdout } = await cli.run(['completion', 'fish'])
    await writeFile(join(cli.folder, 'modelrun.fish'), stdout)
    const env = cli.env({ PATH: `${join(cli.folder, 'bin')}${delimiter}${process.env.PATH}` })
    const program = "source modelrun.fish; complete -C 'modelrun run aurora-'"
    const fish = spawnSync('fish', ['--no-config', '-c', program], { cwd: cli.folder, env, encoding: 'utf8' })
    expect(fish.stdout.split('\n')).toContain('aurora-fine')
    expect(fish.stdout).not.toContain('HACKED')
  })

  it.skipIf(!hasShell('zsh'))('is a script that zsh can read (skipped without zsh)', async () => {
    const { stdout } = await cli.run(['completion', 'zsh'])
    expect(spawnSync('zsh', ['-n'], { input: stdout, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })

  it('is not needed by any command', async () => {
    await writeFile(join(cli.folder, 'state'), 'a file in place of the folder')
    expect(await cli.run(['models'])).toMatchObject({ code: 0, stderr: '' })
  })
})
