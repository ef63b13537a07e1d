import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { createClock } from '../../packages/conformance/src/clock.ts'
import type { ConformanceReport } from '../../packages/conformance/src/report.ts'
import { LEGAL_IDS } from './legal-catalog.ts'
import { LEGAL_KEY, LEGAL_SPECIAL_KEYS } from './legal-keys.ts'
import { LegalService } from './legal-service.ts'

/** So many times as fast as real time: quick, and slow enough for a busy machine to keep up. */
const SCALE = 30

/** Serves a legal service on a free port of this machine until the test ends. */
async function listen(service: LegalService): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const response = await service.handle(await requestOf(incoming, service.origin))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // bound to a port, so not a pipe
  service.origin = `http://127.0.0.1:${port}`
  return service.origin
}

async function requestOf(incoming: IncomingMessage, origin: string): Promise<Request> {
  const { method = 'GET', url = '/', headers } = incoming
  const body = method === 'POST' ? { body: new Uint8Array(await buffer(incoming)) } : {}
  const fields = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Request(new URL(url, origin), { method, headers: fields, ...body })
}

it('the command finds nothing wrong over sockets with a service that makes uncommon choices', async () => {
  const service = new LegalService({
    clock: createClock(SCALE),
    choices: {
      modelIds: 'special',
      cancelOfUnknown: 204,
      cancelStatus: 204,
      unfinishedStatus: 202,
      duplicates: 2,
      rateLimit: 'seconds',
      fileUrls: 'signed',
      typeForm: 'array',
    },
  })
  const url = await listen(service)
  const ids = LEGAL_IDS.special
  const cli = fileURLToPath(new URL('../../packages/conformance/src/node/cli.ts', import.meta.url))
  const args = [
    ...['--conditions=@modelrun/source', cli, '--base-url', url],
    ...['--allow-runs', '--max-credits', '1000', '--time-scale', String(SCALE), '--report', 'json'],
    ...['--model', ids.main, '--slow-model', ids.slow, '--failing-model', ids.failing],
  ]
  const keys = Object.entries({ api: LEGAL_KEY, ...LEGAL_SPECIAL_KEYS }).map(([name, key]) => {
    return [`MODELRUN_${name.toUpperCase().replaceAll('-', '_')}_KEY`, key]
  })
  const env = { PATH: process.env.PATH, ...Object.fromEntries(keys) }
  const child = spawn(process.execPath, args, { stdio: 'pipe', env })
  child.stdin.end()
  const [printed, progress] = [buffer(child.stdout), buffer(child.stderr)]
  const [code] = await once(child, 'close')
  const text = (await printed).toString()
  const { results, summary }: ConformanceReport = JSON.parse(text)
  expect(results.filter(({ verdict }) => verdict === 'fail').map(({ check, detail }) => `${check}: ${detail}`)).toEqual(
    [],
  )
  expect(code).toBe(0)
  expect(summary.pass).toBeGreaterThan(80)
  expect(text).not.toContain(LEGAL_KEY)
  expect(text).not.toContain('sig=')
  const shown = (await progress).toString()
  expect(shown).toContain('...  run: held\n')
  expect(shown).not.toContain(LEGAL_KEY)
}, 120_000)
