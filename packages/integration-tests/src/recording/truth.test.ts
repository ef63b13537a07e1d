import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen, loadRecording } from '@modelrun/reference-server/node'
import { expect, it, onTestFinished } from 'vitest'
import { mixedChoices } from '../../../../lab/legal-services/choose.ts'
import { LEGAL_IDS } from '../../../../lab/legal-services/legal-catalog.ts'
import { LEGAL_KEY } from '../../../../lab/legal-services/legal-keys.ts'
import { LegalService } from '../../../../lab/legal-services/legal-service.ts'
import { program } from './program.ts'

/** Its jobs take a third of their time: a run 0.5 s, and at most a second in the queue. */
const SCALE = 3

/** What the reference server has no setting for, or what its own report calls so: see `notApplied` of the suite. */
const LEFT_OUT = {
  modelCount: 12,
  rateLimit: 'none',
  extraMembers: 'none',
  cancelTakesMs: 0,
  providerFails: 'never',
  finishedIsCancelled: false,
  runFields: 'none',
  failedSyncCode: 'PROVIDER_FAILURE',
} as const

const startedAt = Date.now()
const CLOCK = {
  now: () => startedAt + (Date.now() - startedAt) * SCALE,
  setTimeout: (callback: () => void, ms: number) => setTimeout(callback, ms / SCALE),
  clearTimeout: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
}

/** A service that shares no code with the reference server, with a mixture of legal choices, at a port of its own. */
async function startService(seed: number): Promise<LegalService> {
  const choices = { ...mixedChoices(seed), ...LEFT_OUT, queuedMs: 3_000 as const }
  const service = new LegalService({ clock: CLOCK, choices })
  const server = createServer(async (incoming, outgoing) => {
    const response = await service.handle(await requestOf(incoming, service.origin))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  service.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // bound to a port, so not a pipe
  return service
}

async function requestOf(incoming: IncomingMessage, origin: string): Promise<Request> {
  const { method = 'GET', url = '/', headers } = incoming
  const body = method === 'POST' ? { body: new Uint8Array(await buffer(incoming)) } : {}
  const fields = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  return new Request(new URL(url, origin), { method, headers: fields, ...body })
}

async function compare(seed: number) {
  const service = await startService(seed)
  const models = LEGAL_IDS[service.choices.modelIds]
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-recording-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const recorder = await startRecorder(service.origin, folder)
  const observed = await program({ url: recorder.url, apiKey: LEGAL_KEY, models })
  const printed = await recorder.stop()
  const double = createReferenceServer(await loadRecording(folder))
  const listening = await listen(double)
  onTestFinished(() => listening.close())
  const replayed = await program({ url: listening.url, apiKey: double.apiKey, models })
  return { seed, observed, replayed, stored: await textOf(folder), printed }
}

/** Starts the command from its sources. */
async function startRecorder(service: string, folder: string) {
  const cli = fileURLToPath(new URL('../../../reference-server/src/node/cli.ts', import.meta.url))
  const args = ['--conditions=@modelrun/source', cli, '--port', '0', '--record', service, '--to', folder]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk
    })
  }
  await expect.poll(() => printed).toMatch(/url {6}(\S+)[\s\S]*--replay/)
  const stop = async () => {
    child.kill('SIGTERM')
    await once(child, 'close')
    return printed
  }
  return { url: /url {6}(\S+)/.exec(printed)?.[1] ?? '', stop }
}

async function textOf(folder: string): Promise<string> {
  const names = await readdir(folder)
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
}

it('a replay gives a client program the responses that the recorded service gave', async () => {
  const compared = await Promise.all([201, 202, 203, 204, 205, 206].map(compare))
  for (const { seed, observed, replayed, stored, printed } of compared) {
    expect(observed.length).toBeGreaterThan(20)
    expect.soft(replayed, `service ${seed}`).toEqual(observed)
    expect(`${stored}${printed}`).not.toMatch(/0123456789abcdef|sk_test_wrong|sig=/)
    expect(printed.match(/ ms$/gm)).toHaveLength(observed.length)
  }
}, 60_000)
