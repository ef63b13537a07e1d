import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  freePort,
  type Service,
  startProcess,
  stopProcess,
} from '../../packages/integration-tests/src/services/service-process.ts'

export const NGINX_PROGRAMS = ['nginx']

/** The parts of a configuration that tests choose. */
export interface NginxSettings {
  /** In `http`: zones and upstreams. */
  http: string
  /** In the only `server`: its locations. */
  server: string
}

/** Starts an nginx, with its own error pages. */
export async function startNginx(settings: NginxSettings): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-nginx-'))
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  await writeFile(file, configuration(settings, port))
  const server = await startProcess({
    program: 'nginx',
    args: ['-p', folder, '-c', file, '-e', 'stderr'],
    options: { cwd: folder },
    readyPattern: /getrlimit/,
  })
  const stop = async () => {
    await stopProcess(server, 'SIGQUIT')
    await rm(folder, { recursive: true, force: true })
  }
  return { port, stop }
}

/** In the foreground, as one process that leaves no other one behind, with all files in its own folder. */
function configuration({ http, server }: NginxSettings, port: number): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
  return `
daemon off;
master_process off;
pid nginx.pid;
error_log stderr notice;
events {}
http {
  access_log off;
  ${paths.join('\n  ')}
  ${http}
  server {
    listen 127.0.0.1:${port};
    ${server}
  }
}
`
}
