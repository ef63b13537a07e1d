import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type Service, startProcess, stopProcess } from './service-process.ts'

export const REDIS_PROGRAMS = ['redis-server']

/** A Redis that can be killed. */
export interface RedisService extends Service {
  /** Ends it with `kill -9`, and starts it again on what it had written. */
  crash(): Promise<void>
}

/** Starts a Redis of its own, that writes each change to its file. `settings` are more of its options. */
export async function startRedis(settings: Record<string, string> = {}): Promise<RedisService> {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-redis-'))
  const port = await freePort()
  const options = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', ...settings }
  const start = () =>
    startProcess({
      program: 'redis-server',
      args: Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
      options: { cwd: folder },
      readyPattern: /Ready to accept connections/,
    })
  let server = await start()
  const crash = async () => {
    await stopProcess(server, 'SIGKILL')
    server = await start()
  }
  const stop = async () => {
    await stopProcess(server, 'SIGTERM')
    await rm(folder, { recursive: true, force: true })
  }
  return { port, stop, crash }
}
