import { type ChildProcess, spawn } from 'node:child_process'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { freePort } from '../services/service-process.ts'
import { writeGuideApp } from './guide-app.ts'

/** An address of this machine in its own network: to a client and a service it is another host, as between containers. */
const lanAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

const lanNote = lanAddress === undefined ? ' (skipped: this machine has no address beyond loopback)' : ''

const cli = fileURLToPath(new URL('../../../reference-server/src/node/cli.ts', import.meta.url))

/** A program of Node, and what it has printed. */
function start(args: string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ['--conditions=@modelrun/source', ...args], { env: { ...process.env, ...env } })
  const program = { child, output: '', [Symbol.dispose]: () => void child.kill('SIGKILL') }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (program.output += text))
  return program
}

/** The call of the guide, with and without its token. */
async function checkControlApi(guide: string, baseUrl: string): Promise<void> {
  const [, name = '', token = '', path = '', body = ''] =
    /curl -H '(\S+): (\S+)' http:\/\/localhost:4010(\S+) \\\n {2}-d '(.*?)'/.exec(guide) ?? []
  const call = (headers: HeadersInit) => fetch(`${baseUrl}${path}`, { method: 'POST', headers, body })
  expect((await call({})).status).toBe(403)
  expect((await call({ [name]: token })).status).toBeLessThan(300)
}

const exitOf = (child: ChildProcess) => new Promise((resolve) => child.once('exit', resolve))

test.skipIf(lanAddress === undefined)(`the services of the compose file deliver to each other${lanNote}`, async () => {
  await using app = await writeGuideApp('docker-compose.md')
  const [modelsPort, appPort] = [await freePort(), await freePort()]
  // Names and ports of the containers become those of this machine, and volumes folders.
  const yaml = (/```yaml\n(.*?)```/s.exec(app.text)?.[1] ?? '')
    .replaceAll('models:4010', `${lanAddress}:${modelsPort}`)
    .replaceAll('app:3000', `${lanAddress}:${appPort}`)
    .replaceAll('--port 4010', `--port ${modelsPort}`)
    .replaceAll("PORT: '3000'", `PORT: '${appPort}'`)
    .replaceAll('/data/', `${app.folder}/`)
  const command = /exec \S+\/modelrun-server\s(.*?)'\n/s.exec(yaml)?.[1] ?? ''
  const environment = [...yaml.matchAll(/^ {6}([A-Z_]+): '?(.*?)'?$/gm)].map(([, name = '', value]) => [name, value])

  using models = start([cli, ...command.trim().split(/\s+/)], {})
  await vi.waitFor(() => expect(models.output).toContain('The reference server listens.'), { timeout: 100_000 })
  using program = start([join(app.folder, 'main.ts')], Object.fromEntries(environment))
  const response = await vi.waitFor(() => fetch(`http://${lanAddress}:${appPort}/`), { timeout: 100_000 })
  const jobId = (await response.text()).trim()
  expect([response.status, jobId]).toEqual([200, expect.stringMatching(/^job_/)])
  await vi.waitFor(() => expect(program.output).toContain(`${jobId} by webhook http`), { timeout: 100_000 })
  expect(program.output).toContain(`by webhook http://${lanAddress}:${modelsPort}/`)
  await checkControlApi(app.text, `http://${lanAddress}:${modelsPort}`)

  const exit = exitOf(program.child)
  program.child.kill('SIGTERM')
  await expect(exit).resolves.toBe(0)
})
