import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  freePort,
  type Service,
  startProcess,
  stopProcess,
} from '../../packages/integration-tests/src/services/service-process.ts'

/** It compiles its rules: Debian's package brings the compiler. */
export const VARNISH_PROGRAMS = ['varnishd']

/** Starts a Varnish with these rules (VCL), and its own error pages. */
export async function startVarnish(rules: string): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-varnish-'))
  const file = join(folder, 'rules.vcl')
  await writeFile(file, rules)
  const port = await freePort()
  const settings = ['-a', `127.0.0.1:${port}`, '-f', file, '-n', join(folder, 'work'), '-s', 'malloc,8M']
  const server = await startProcess({
    program: 'varnishd',
    // In the foreground, as the user who started it, without a port to control it.
    args: ['-F', '-j', 'none', '-T', 'none', ...settings],
    options: { cwd: folder },
    readyPattern: /said Child starts/,
  })
  const stop = async () => {
    await stopProcess(server, 'SIGTERM')
    await rm(folder, { recursive: true, force: true })
  }
  return { port, stop }
}
