import { execFile } from 'node:child_process'
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, requireProgram, type Service, startProcess, stopProcess } from './service-process.ts'
import { unprivilegedUser } from './unprivileged-user.ts'

export const MARIADB_PROGRAMS = ['mariadbd']

/** A MariaDB that a test started: database `app`, user `root`, no password. */
export interface MariadbService extends Service {
  url: string
}

/** Starts a MariaDB of its own. It has no tables of users, which its other packages would make, and checks none. */
export async function startMariadb(): Promise<MariadbService> {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-mariadb-'))
  const data = join(folder, 'data')
  await mkdir(data)
  const user = await unprivilegedUser()
  if (user.uid !== undefined) await Promise.all([folder, data].map((path) => chown(path, user.uid, user.gid)))
  const port = await freePort()
  const args = ['--no-defaults', '--skip-grant-tables', `--datadir=${data}`]
  const bootstrap = promisify(execFile)(requireProgram('mariadbd'), [...args, '--bootstrap'], { cwd: folder, ...user })
  bootstrap.child.stdin?.end('CREATE DATABASE app;\n')
  await bootstrap
  const network = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(folder, 'socket')}`]
  const server = await startProcess({
    program: 'mariadbd',
    args: [...args, ...network],
    options: { cwd: folder, ...user },
    readyPattern: /ready for connections/,
  })
  const stop = async () => {
    await stopProcess(server, 'SIGTERM')
    await rm(folder, { recursive: true, force: true })
  }
  return { port, url: `mysql://root@127.0.0.1:${port}/app`, stop }
}
