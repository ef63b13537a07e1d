import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const CLI = fileURLToPath(new URL('../src/node/cli.ts', import.meta.url))

interface Body {
  job_id?: string
  data?: object
  entries?: object[]
  jobs?: object[]
  exchanges?: { kind: string }[]
}

/** A process that was started, and may not serve. */
export interface Started {
  child: ChildProcess
  firstLine: Promise<string>
  ended: Promise<{ code: unknown; stderr: string }>
}

/** Servers in processes of their own, which keep their state in one folder. */
export class StateServers {
  readonly folder: string
  /** The file of `--state`, unless a test chooses another one. */
  path: string
  readonly #children: ChildProcess[] = []

  private constructor(folder: string) {
    this.folder = folder
    this.path = join(folder, 'state.json')
  }

  static async create(): Promise<StateServers> {
    return new StateServers(await mkdtemp(join(tmpdir(), 'modelrun-state-')))
  }

  async close(): Promise<void> {
    for (const child of this.#children.splice(0)) child.kill('SIGKILL')
    await rm(this.folder, { recursive: true })
  }

  start(...args: string[]): Started {
    const options = ['--conditions=@modelrun/source', CLI, '--port', '0', '--json', '--state', this.path, ...args]
    const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#children.push(child)
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    const firstLine = once(createInterface(child.stdout), 'line').then(([line]) => String(line))
    const ended = once(child, 'close').then(([code]) => ({ code, stderr }))
    return { child, firstLine, ended }
  }

  async startReady(...args: string[]) {
    const running = this.start(...args)
    const isOver = running.ended.then(({ stderr }) => Promise.reject(new Error(`The server does not serve: ${stderr}`)))
    const { url, key, keys }: { url: string; key: string; keys?: string[] } = JSON.parse(
      await Promise.race([running.firstLine, isOver]),
    )
    isOver.catch(() => {})
    const call = async (method: string, target: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const response = await fetch(url + target, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      })
      return (await response.json()) as Body // what the tests read
    }
    const run = (options: object = { sync: false }) =>
      call('POST', '/v1/models/aurora-image/run', { input: { prompt: 'a fox' }, ...options })
    return { ...running, key, keys, call, run }
  }

  async stop({ child, ended }: Pick<Started, 'child' | 'ended'>, signal: NodeJS.Signals = 'SIGTERM') {
    child.kill(signal)
    return ended
  }
}
