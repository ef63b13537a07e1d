import { execFile } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { CliHarness } from '../test/cli-harness.ts'

const ROOT = new URL('../../../', import.meta.url)
const DOCUMENTS = ['packages/cli/README.md', 'docs/guides/command-line.md']

let cli: CliHarness

beforeEach(async () => {
  cli = await CliHarness.create()
  const command = join(cli.folder, 'modelrun')
  await writeFile(command, `#!/bin/sh\nexec ${process.execPath} ${cli.command} "$@"\n`)
  await chmod(command, 0o755)
})

/** Every block for a shell, but for those that install. */
async function blocks(document: string): Promise<[string, string][]> {
  const text = await readFile(new URL(document, ROOT), 'utf8')
  const found = Array.from(text.matchAll(/```sh\n(.*?)```/gs), ([, block = '']) => block)
  return found.filter((block) => !block.startsWith('npm ')).map((block) => [document, block])
}

const examples = (await Promise.all(DOCUMENTS.map(blocks))).flat()

describe('the documents of the command line', () => {
  it.each(examples)('show commands that work: %s %j', async (_, block) => {
    const env = cli.env({ PATH: `${cli.folder}${delimiter}${process.env.PATH}` })
    const { stdout } = await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', block], {
      cwd: cli.folder,
      env,
    })
    expect(stdout).not.toBe('')
  })

  it('list every command and every type of object', async () => {
    const guide = await readFile(fileURLToPath(new URL('docs/guides/command-line.md', ROOT)), 'utf8')
    const { stdout } = await cli.run(['--help'])
    const commands = Array.from(
      (stdout.split('Commands:')[1] ?? '').split('\n\n')[0]?.matchAll(/^ {2}([a-z]+) /gm) ?? [],
      ([, name]) => name,
    ).filter((name) => name !== 'help')
    expect(commands.length).toBeGreaterThan(8)
    for (const command of commands) expect(guide).toContain(`modelrun ${command}`)
  })
})
