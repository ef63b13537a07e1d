import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { CLI, type Started, startNode, startReady } from './cli-process.ts'

interface Body {
  job_id?: string
  data?: object
  jobs?: object[]
}

/** Servers in processes of their own, which keep their state in one folder. All is gone at the end of the test. */
export class StateServers {
  readonly folder: string
  /** The file of `--state`, unless a test chooses another one. */
  path: string

  private constructor(folder: string) {
    this.folder = folder
    this.path = join(folder, 'state.json')
  }

  static async create(): Promise<StateServers> {
    const folder = await mkdtemp(join(tmpdir(), 'modelrun-state-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    return new StateServers(folder)
  }

  start(...args: string[]): Started {
    return startNode([...CLI, '--port', '0', '--json', '--state', this.path, ...args])
  }

  async startReady(...args: string[]) {
    const running = await startReady('--state', this.path, ...args)
    const call = async (method: string, target: string, body?: object) => {
      const headers = { authorization: `Bearer ${running.key}`, 'content-type': 'application/json' }
      const sent = body === undefined ? null : JSON.stringify(body)
      const response = await fetch(running.url + target, { method, headers, body: sent })
      return (await response.json()) as Body // what the tests read
    }
    const run = (options: object = { sync: false }) =>
      call('POST', '/v1/models/aurora-image/run', { input: { prompt: 'a fox' }, ...options })
    return { ...running, call, run }
  }

  async stop({ child, ended }: Pick<Started, 'child' | 'ended'>, signal: NodeJS.Signals = 'SIGTERM') {
    child.kill(signal)
    const { code, stderr } = await ended
    return { code, stderr }
  }
}
