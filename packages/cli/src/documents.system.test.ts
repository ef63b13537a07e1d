import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { cli, serve, useCli } from '../test/cli-harness.ts'

const ROOT = new URL('../../../', import.meta.url)
const DOCUMENTS = ['packages/cli/README.md', 'docs/guides/command-line.md', 'docs/guides/typed-models.md']

useCli()
beforeEach(async () => {
  const command = join(cli.folder, 'modelrun')
  await writeFile(command, `#!/bin/sh\nexec ${process.execPath} ${cli.command} "$@"\n`)
  await chmod(command, 0o755)
})

/** Every block of a language. */
async function blocks(language: string): Promise<[string, string][]> {
  const texts = await Promise.all(DOCUMENTS.map((document) => readFile(new URL(document, ROOT), 'utf8')))
  const pattern = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs')
  return texts.flatMap((text, index) =>
    Array.from(text.replaceAll('npx -p @modelrun/cli ', '').matchAll(pattern), ([, block = '']): [string, string] => [
      DOCUMENTS[index] ?? '',
      block,
    ]),
  )
}

// Without those that install.
const examples = (await blocks('sh')).filter(([, block]) => !block.startsWith('npm '))
const consoles = await blocks('console')

const bash = (script: string): [string, string[]] => ['bash', ['-eu', '-o', 'pipefail', '-c', script]]
const environment = () => cli.env({ PATH: `${cli.folder}${delimiter}${process.env.PATH}` })

const hasJq = process.env.REQUIRE_SERVICES === '1' || spawnSync('jq', ['--version']).status === 0

/** What happens in another terminal, once the command of a console waits. */
async function workBeside(script: string): Promise<void> {
  if (/modelrun logs/.test(script)) {
    const body = JSON.stringify({ input: { prompt: 'a fox', promt: 'a fox' } })
    const headers = { authorization: `Bearer ${cli.server.apiKey}`, 'content-type': 'application/json' }
    await fetch(`${cli.url}/v1/models/aurora-image/run`, { method: 'POST', headers, body })
  }
  if (/modelrun listen/.test(script)) await cli.run(['run', 'aurora-image', '--prompt', 'a fox', '--no-wait'])
}

/** Lines without what differs between two runs. */
function masked(text: string): string[] {
  const varying = /(?<=job_)\w+|(?<=sk_test_)\S+|(localhost|127\.0\.0\.1):\d+|^[\d:.]{12}(?= )|\d+(?= ms$)|\?\S+$/gm
  return text.replaceAll(varying, '').split('\n')
}

describe('the documents of the command line', () => {
  it.each(examples)('show commands that work: %s %j', async (_, block) => {
    const { stdout, stderr } = await promisify(execFile)(...bash(block), { cwd: cli.folder, env: environment() })
    expect(stdout + stderr).not.toBe('')
  })

  it.each(consoles)('show what is printed: %s %j', async (_, block) => {
    const isPipe = block.includes('| jq')
    if (isPipe && !hasJq) return
    const shown = block.split('\n').filter((line) => line !== '' && !line.startsWith('$ '))
    const before = masked(shown.join('\n').split('^C')[0]?.trim() ?? '')
    const expected = masked(shown.filter((line) => line !== '^C').join('\n'))
    const receiver = await serve(
      (request, response) => void request.resume().on('end', () => response.writeHead(202).end()),
    )
    const script = Array.from(block.matchAll(/^\$ (.*)/gm), ([, line = '']) => line)
      .join('\n')
      .replaceAll('http://localhost:3000', receiver)
      .replace('modelrun dev', 'modelrun dev --port 0')
    if (block.includes('^C')) cli.server.script('lumen/aurora-video', [{ result: 'hang' }])

    const child = spawn(...bash(`${isPipe ? '' : 'exec 2>&1'}\n${script}`), {
      cwd: cli.folder,
      env: environment(),
      detached: true,
    })
    const ended = once(child, 'close')
    // The whole group, as a terminal does it. Those that ended by themselves are gone.
    const signal = (name: NodeJS.Signals) => child.exitCode ?? child.signalCode ?? process.kill(-(child.pid ?? 0), name)
    onTestFinished(() => void signal('SIGKILL'))
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    if (/ Ctrl-C /.test(block)) await expect.poll(() => printed).toContain(' Ctrl-C ')
    await workBeside(script)
    // A pipe takes all of standard output; a terminal shows more than what the guide is about.
    const lines = () => masked(printed).filter((line) => (isPipe ? line : expected.includes(line)))
    await expect.poll(lines).toEqual(before)
    signal('SIGINT')
    await ended
    expect(lines()).toEqual(expected)
  })

  it('list every command', async () => {
    const guide = await readFile(new URL('docs/guides/command-line.md', ROOT), 'utf8')
    const { stdout } = await cli.run(['--help'])
    const [, commands = ''] = /Commands:\n(.*?)\n\n/s.exec(stdout) ?? []
    const names = commands.match(/(?<=^ {2})(?!help)[a-z]+(?= )/gm) ?? []
    expect(names.length).toBeGreaterThan(12)
    for (const name of names) expect(guide).toContain(`modelrun ${name}`)
  })
})
