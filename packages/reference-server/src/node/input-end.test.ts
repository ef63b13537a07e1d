import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'

const cli = fileURLToPath(new URL('./cli.ts', import.meta.url))
const command = ['--conditions=@modelrun/source', cli, '--port', '0', '--json', '--exit-with-parent']

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function start(args: readonly string[], input: 'pipe' | 'ignore'): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: [input, 'pipe', 'pipe'] })
  children.push(child)
  return child
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('The output is not a pipe.')
  const [line] = await once(createInterface(stdout), 'line')
  return String(line)
}

describe('modelrun-server --exit-with-parent', () => {
  it('ends when the process that started it is killed', async () => {
    // A program that starts the server with pipes, as a test runner does, and hands on what it prints.
    const program = `
      const { spawn } = require('node:child_process')
      spawn(process.execPath, ${JSON.stringify(command)}).stdout.pipe(process.stdout)`
    const parent = start(['--input-type=commonjs', '-e', program], 'ignore')
    const { url }: { url: string } = JSON.parse(await firstLine(parent))
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    parent.kill('SIGKILL')
    await once(socket, 'close')
    await expect(fetch(url)).rejects.toThrow()
  })

  it('ends with exit code 0 when its input is closed, and on SIGTERM while it is open', async () => {
    for (const end of [(child: ChildProcess) => child.stdin?.end(), (child: ChildProcess) => child.kill('SIGTERM')]) {
      const child = start(command, 'pipe')
      await firstLine(child)
      end(child)
      expect(await once(child, 'exit')).toEqual([0, null])
    }
  })

  it('says in one line that it needs a pipe: any other input would end it at once, or never', async () => {
    const child = start(command, 'ignore')
    let stderr = ''
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
    })
    expect(await once(child, 'close')).toEqual([1, null])
    expect(stderr).toMatch(/^modelrun-server: --exit-with-parent needs a pipe as standard input, .*\n$/)
  })
})
