import { execFile } from 'node:child_process'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort, requireProgram, type Service, startProcess, stopProcess } from './service-process.ts'
import { unprivilegedUser } from './unprivileged-user.ts'

export const POSTGRES_PROGRAMS = ['initdb', 'postgres']

const run = promisify(execFile)

/** How long clients may take to leave. */
const PATIENCE_MS = 2_000

/** A Postgres that a test started: user and database `postgres`, no password. */
export interface PostgresService extends Service {
  url: string
  /** Ends all its processes with `kill -9`, and starts it again on what it had written. */
  crash(): Promise<void>
}

/** Starts a Postgres of its own. It forgets its data in a power failure, which is faster. `settings` are more of its options. */
export async function startPostgres(settings: Record<string, string> = {}): Promise<PostgresService> {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-postgres-'))
  const user = await unprivilegedUser()
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid)
  const options = { cwd: folder, ...user }
  const setup = ['-D', 'data', '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync']
  await run(requireProgram('initdb'), setup, options)
  const port = await freePort()
  const values = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', ...settings }
  const start = () =>
    startProcess({
      program: 'postgres',
      args: ['-D', 'data', ...Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      options,
      readyPattern: /ready to accept connections/,
    })
  let server = await start()
  const crash = async () => {
    const { stdout } = await run('pgrep', ['-P', String(server.pid)])
    const stopped = stopProcess(server, 'SIGKILL')
    for (const pid of stdout.trim().split('\n')) killIfThere(Number(pid))
    await stopped
    // A process that was just forked keeps the memory for a moment.
    server = await start().catch(() => sleep(RESTART_MS).then(start))
  }
  const stop = async () => {
    // SIGTERM waits for clients that are about to leave; SIGINT ends those who stay.
    const impatience = setTimeout(() => server.kill('SIGINT'), PATIENCE_MS)
    await stopProcess(server, 'SIGTERM')
    clearTimeout(impatience)
    await rm(folder, { recursive: true, force: true })
  }
  return { port, url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop, crash }
}

const RESTART_MS = 2_000

/** A process of Postgres ends by itself soon after the one that started it. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (Object(error).code !== 'ESRCH') throw error
  }
}
