import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createReferenceServer } from '@modelrun/reference-server'
import { type ListeningServer, listen } from '@modelrun/reference-server/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf, ROOT } from '../code-blocks.ts'
import { programFolder } from '../guide-programs.ts'
import type { Listener, TestProxy } from './test-network.ts'
import { AUTHORITY, AUTHORITY_FILE, identity, startProxy, startTls } from './test-network.ts'

const GUIDE = 'docs/guides/networks.md'
const PROXY_OF_GUIDE = 'http://user:password@proxy.example.com:3128'
const BLOCKS = await blocksOf(GUIDE)

const run = promisify(execFile)
const server = createReferenceServer({ clock: { scale: 1_000 }, seed: 1 })

let plain: ListeningServer
let service: Listener
/** It wants a certificate of the client. */
let strict: Listener
let proxy: TestProxy
const programs = programFolder()

beforeAll(async () => {
  plain = await listen(server)
  service = await startTls(plain.url)
  strict = await startTls(plain.url, { requestCert: true, ca: AUTHORITY })
  server.transport.set({ baseUrl: service.url })
  proxy = await startProxy({ password: 'user:password' })
})

afterAll(() => Promise.all([strict, service, proxy, plain].map((one) => one.close())))

/** Runs a program of the guide in this network. */
async function runProgram(code: string, environment: NodeJS.ProcessEnv) {
  const { cert, key } = identity()
  const files = { 'client.pem': cert, 'client.key': key, 'authority.pem': AUTHORITY, 'program.ts': code }
  for (const [name, text] of Object.entries(files)) await programs.write(name, here(text))
  const env = {
    PATH: process.env.PATH,
    MODELRUN_API_KEY: server.apiKey,
    MODELRUN_BASE_URL: service.url,
    ...environment,
  }
  return await run(process.execPath, ['--conditions=@modelrun/source', 'program.ts'], { cwd: programs.path, env })
}

const here = (code: string) => code.replaceAll(PROXY_OF_GUIDE, proxy.url).replaceAll('/etc/company', programs.path)

describe('the guide on networks', () => {
  test.each(BLOCKS)('shows an example that runs: $title', async ({ code }) => {
    const isProxied = code.includes(PROXY_OF_GUIDE)
    const bringsAuthority = code.includes('authority.pem')
    const seenBefore = proxy.seen.length
    const { stdout, stderr } = await runProgram(code, {
      ...(bringsAuthority ? {} : { NODE_EXTRA_CA_CERTS: AUTHORITY_FILE }),
      ...(code.includes('cert:') ? { MODELRUN_BASE_URL: strict.url } : {}),
    })
    expect(stderr).toBe('')
    expect(stdout).not.toBe('')
    expect(proxy.seen.length > seenBefore).toBe(isProxied)
  })

  test('shows environment variables that lead a program through the proxy', async () => {
    const text = await readFile(join(ROOT, GUIDE), 'utf8')
    const [, line = ''] = /```sh\n(.*?) node app.js\n/.exec(text) ?? []
    const variables = line.split(' ').map((part) => part.split(/=(.*)/).map(here))
    const seenBefore = proxy.seen.length
    const { stdout } = await runProgram(
      "import { ModelRun } from 'modelrun'\nconsole.log((await new ModelRun().models.list()).total)",
      { NODE_EXTRA_CA_CERTS: AUTHORITY_FILE, ...Object.fromEntries(variables) },
    )
    expect(Number(stdout)).toBeGreaterThan(0)
    expect(proxy.seen.length).toBeGreaterThan(seenBefore)
  })
})
