import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { report } from '../program.ts'

const [ingress, admin, node, service] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
const folder = mkdtempSync(join(tmpdir(), 'modelrun-restate-'))
const ingressUrl = `http://127.0.0.1:${ingress}`
const adminUrl = `http://127.0.0.1:${admin}`

const server = spawn(process.execPath, ['../../../node_modules/@restatedev/restate-server/lib/index.js', '--no-logo'], {
  cwd: import.meta.dirname,
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    RESTATE_BASE_DIR: folder,
    // By default it listens on all interfaces.
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_DISABLE_TELEMETRY: 'true',
    RUST_LOG: 'error',
  },
})

/** The service is started again whenever it was killed. */
let isStopped = false
let handler: ChildProcess | undefined
function startService() {
  const env = { ...process.env, SERVICE_PORT: String(service), RESTATE_INGRESS_URL: ingressUrl }
  handler = spawn(process.execPath, [join(import.meta.dirname, 'service.ts')], { env, stdio: 'inherit' })
  handler.on('exit', () => isStopped || startService())
}
startService()

await untilOk(() => fetch(`${adminUrl}/health`))
await untilOk(() => post(`${adminUrl}/deployments`, { uri: `http://127.0.0.1:${service}` }))
await report(async ({ orderId, prompt }) => {
  const response = await post(`${ingressUrl}/videos/make`, { orderId, prompt })
  const body = Object(await response.json())
  if (!response.ok) throw new Error(body.message)
  return body
})
isStopped = true
handler?.kill()
server.kill()
await once(server, 'exit')
rmSync(folder, { recursive: true })
process.exit()

function post(url: string, body: object): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

async function untilOk(ask: () => Promise<Response>): Promise<void> {
  for (;;) {
    const response = await ask().catch(() => undefined)
    if (response?.ok) return
    await sleep(100)
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  if (typeof address !== 'object' || address === null) throw new Error('No port is free.')
  return address.port
}
