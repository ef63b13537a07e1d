import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { ModelRun } from 'modelrun'
import { createProxy, type ProxyOptions } from 'modelrun/proxy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { type Attack, attackList, BODY, RUN } from './attack-list.ts'
import { MODELS, SECRET } from './setting.ts'

/** The sessions of the application, by the header that its pages send. */
const SESSIONS: Record<string, string> = { 'Session of-victim': 'victim', 'Session of-mallory': 'mallory' }

interface Sent {
  url: string
  method: string
  headers: Record<string, string>
}

/** An application with a proxy on node:http, where the request arrives as it was written; and what the service got. */
async function openApp(options: Partial<ProxyOptions> = {}) {
  const server = createCheckedServer()
  const sent: Sent[] = []
  const fetch: typeof globalThis.fetch = (input, init) => {
    const { url, method, headers } = new Request(input, init)
    sent.push({ url, method, headers: Object.fromEntries(headers) })
    return server.fetch(input, init)
  }
  const client = new ModelRun({ ...server.clientOptions(), fetch, logLevel: 'off' })
  const proxy = createProxy({
    client,
    models: MODELS,
    secret: SECRET,
    authorize: ({ headers }) => ({ user: SESSIONS[headers.get('authorization') ?? ''] ?? '' }),
    onError: () => {},
    ...options,
  })
  const app = await startReceiver(proxy.node())
  const close = async () => {
    await app.close()
    await server.close()
  }
  return { server, proxy, sent, close, send: (attack: Partial<Attack>) => send(new URL(app.url), attack) }
}

type App = Awaited<ReturnType<typeof openApp>>

async function send({ hostname, port, origin }: URL, { target = '', headers = {}, body }: Partial<Attack>) {
  const [method, path] = target.split(' ')
  const all = {
    authorization: 'Session of-mallory',
    'sec-fetch-site': 'same-origin',
    origin,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  }
  const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  return new Promise<{ status: number | undefined; body: string; headers: string }>((resolve, reject) => {
    const sending = httpRequest({ hostname, port, method, path, headers: present as Record<string, string> })
    sending.on('error', reject)
    sending.on('response', async (response) => {
      const { statusCode, rawHeaders } = response
      resolve({ status: statusCode, body: await text(response), headers: rawHeaders.join('\n') })
    })
    sending.end(body)
  })
}

async function startJob(app: App, session: string): Promise<string> {
  const { body } = await app.send({
    target: RUN,
    headers: { authorization: session },
    body: BODY,
  })
  return (JSON.parse(body) as { job_id: string }).job_id
}

describe('an attack on the proxy', async () => {
  const app = await openApp()
  const othersJob = await startJob(app, 'Session of-victim')
  const ownJob = await startJob(app, 'Session of-mallory')
  const [rawJob = ''] = JSON.parse(Buffer.from(othersJob.split('~')[2] ?? '', 'base64url').toString()) as [string]
  const other = await openApp({ secret: 'another secret of the test, 32 bytes' })
  const foreignJob = await startJob(other, 'Session of-mallory')
  const hiddenModel = 'lumen/aurora-image-swift'
  const attacks = attackList({ othersJob, rawJob, foreignJob, ownJob, hiddenModel })

  beforeAll(async () => {
    // Both are there for those who may: else the attacks would prove nothing.
    const { baseUrl, apiKey, fetch } = app.server
    for (const path of [`jobs/${rawJob}`, `models/${encodeURIComponent(hiddenModel)}`]) {
      const response = await fetch(`${baseUrl}/v1/${path}`, { headers: { authorization: `Bearer ${apiKey}` } })
      expect(response.status).toBe(200)
    }
    await expect(app.send({ target: `GET /api/modelrun/v1/jobs/${ownJob}` })).resolves.toMatchObject({ status: 200 })
  })
  afterAll(async () => {
    await app.close()
    await other.close()
  })

  it('is one of many', () => {
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length)
    expect(attacks.length).toBeGreaterThan(50)
  })

  it.each(attacks)('is rejected: $name ($why)', async (attack) => {
    const before = app.sent.length
    const { status, body, headers } = await app.send(attack)
    expect(status).toBe(attack.status)
    expect(app.sent.slice(before)).toEqual([])
    expect(`${headers}${body}`).not.toMatch(/sk_|reference-server|access-control-allow-origin|set-cookie/i)
  })
})

describe('what a page cannot do by a request that is right', () => {
  let app: App
  beforeAll(async () => {
    app = await openApp()
  })
  afterAll(() => app.close())

  it('is to name a host: the service gets what the key of the proxy may do, and no other host gets anything', async () => {
    const headers = {
      'x-fal-target-url': 'https://evil.example.com/',
      'x-forwarded-host': 'evil.example.com',
      forwarded: 'host=evil.example.com',
      cookie: 'session=of-mallory',
      'x-http-method-override': 'DELETE',
      'x-original-url': '/_reference/keys',
    }
    const { status } = await app.send({ target: RUN, headers, body: BODY })
    expect(status).toBe(202)
    expect(app.sent).toEqual([
      {
        url: `${app.server.baseUrl}/v1/models/aurora-image/run`,
        method: 'POST',
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${app.server.apiKey}`,
          'content-type': 'application/json',
        },
      },
    ])
  })
})
