import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { CLI, type Started, startNode } from '../../test/cli-process.ts'

const command = [...CLI, '--port', '0', '--json', '--exit-with-parent']

describe('modelrun-server --exit-with-parent', () => {
  it('ends when the process that started it is killed', async () => {
    // A program that starts the server with pipes, as a test runner does, and hands on what it prints.
    const program = `
      const { spawn } = require('node:child_process')
      spawn(process.execPath, ${JSON.stringify(command)}).stdout.pipe(process.stdout)`
    const parent = startNode(['--input-type=commonjs', '-e', program])
    const { url }: { url: string } = JSON.parse(await parent.firstLine)
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    parent.child.kill('SIGKILL')
    await once(socket, 'close')
    await expect(fetch(url)).rejects.toThrow()
  })

  it('ends with exit code 0 when its input is closed, and on SIGTERM or SIGHUP while it is open', async () => {
    const kill = (signal: NodeJS.Signals) => (one: Started) => one.child.kill(signal)
    const ends = [({ child }: Started) => child.stdin?.end(), kill('SIGTERM'), kill('SIGHUP')]
    for (const end of ends) {
      const started = startNode(command, 'pipe')
      await started.firstLine
      end(started)
      expect(await once(started.child, 'exit')).toEqual([0, null])
    }
  })

  it('says in one line that it needs a pipe: any other input would end it at once, or never', async () => {
    const { code, stderr } = await startNode(command).ended
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^modelrun-server: --exit-with-parent needs a pipe as standard input, .*\n$/),
    ])
  })
})
