import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type Service, startProcess, stopProcess } from './service-process.ts'
import { unprivilegedUser } from './unprivileged-user.ts'

/** A PgBouncer with transaction pooling in front of a Postgres, on three connections. */
export async function startPgbouncer(postgresPort: number): Promise<Service & { url: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-pgbouncer-'))
  const user = await unprivilegedUser()
  const port = await freePort()
  const config = join(folder, 'pgbouncer.ini')
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 3,
    server_reset_query_always: 1,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const database = `postgres = host=127.0.0.1 port=${postgresPort} user=postgres dbname=postgres`
  await writeFile(config, `[databases]\n${database}\n[pgbouncer]\n${lines.join('\n')}\n`)
  if (user.uid !== undefined) await Promise.all([folder, config].map((path) => chown(path, user.uid, user.gid)))
  const options = { cwd: folder, ...user }
  const server = await startProcess({ program: 'pgbouncer', args: [config], options, readyPattern: /process up/ })
  const stop = async () => {
    await stopProcess(server, 'SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
  return { port, url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop }
}
