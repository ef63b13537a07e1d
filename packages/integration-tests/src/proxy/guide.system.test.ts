import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { promisify } from 'node:util'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { ModelRun } from 'modelrun'
import { createProxy } from 'modelrun/proxy'
import { createServer } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { blocksUnder, programFolder, readGuides } from '../guide-programs.ts'
import { freePort } from '../services/service-process.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { SECRET } from './setting.ts'

const guide = await readGuides('browsers.md')
const blocksOf = (heading: string) => blocksUnder(guide, heading)

/** Sessions as an application has them. */
const AUTH = `
  const sessionOf = (cookie) => {
    const [, userId] = /session=(\\w+)/.exec(cookie ?? '') ?? []
    return userId && { userId }
  }
  export const readSession = async (request) => sessionOf(request.headers.get('cookie'))
  export const sessions = () => (request, _response, next) => {
    request.session = sessionOf(request.headers.cookie)
    next()
  }`

describe('the guide of browsers', () => {
  const programs = programFolder()
  let child: ChildProcess | undefined
  let service: Awaited<ReturnType<typeof listen>>
  const server = createReferenceServer({ clock: 'auto' })

  beforeAll(async () => {
    service = await listen(server)
    await programs.write('auth.js', AUTH)
  })
  afterEach(() => child?.kill('SIGKILL'))
  afterAll(() => service.close())

  const environment = (more: Record<string, string> = {}) => ({
    ...process.env,
    MODELRUN_API_KEY: server.apiKey,
    MODELRUN_BASE_URL: service.url,
    MODELRUN_PROXY_SECRET: SECRET,
    ...more,
  })

  it.each(['Express', 'Hono'])('shows a server that runs models for its pages: %s', async (heading) => {
    const port = String(await freePort())
    const [code] = blocksOf(heading)
    child = spawn(process.execPath, await programs.write('server.js', code), {
      env: environment({ PORT: port }),
      stdio: 'inherit',
    })
    const baseUrl = `http://127.0.0.1:${port}/api/modelrun`
    await vi.waitFor(() => fetch(baseUrl), { timeout: 100_000 })
    const headers = { 'sec-fetch-site': 'same-origin' }
    const page = new ModelRun({ apiKey: 'page', baseUrl, headers: { ...headers, cookie: 'session=anna' } })
    await expect(page.run('aurora-image', { prompt: 'a fox' })).resolves.toMatchObject({ status: 'succeeded' })
    const otherUser = new ModelRun({ apiKey: 'page', baseUrl, headers })
    await expect(otherUser.models.list()).rejects.toMatchObject({ status: 401 })
  })

  it('shows a route of Next.js that a build can load without a key', async () => {
    const [code] = blocksOf('Next.js')
    await programs.write('route.js', code)
    const program = `
      const keys = { ...process.env }
      delete process.env.MODELRUN_API_KEY
      const route = await import('./route.js')
      Object.assign(process.env, keys)
      const url = 'https://app.example.com/api/modelrun/v1/models/aurora-image/run'
      const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie: 'session=anna' }
      const body = JSON.stringify({ input: { prompt: 'a fox' } })
      const context = { params: Promise.resolve({ path: ['v1'] }) }
      const response = await route.POST(new Request(url, { method: 'POST', headers, body }), context)
      const otherUser = await route.GET(new Request('https://app.example.com/api/modelrun/v1/models'), context)
      console.log(response.status, (await response.json()).status, otherUser.status, Object.keys(route).join())`
    const run = promisify(execFile)(process.execPath, await programs.write('program.js', program), {
      env: environment(),
    })
    await expect(run).resolves.toEqual({ stdout: '200 completed 401 DELETE,GET,POST,maxDuration\n', stderr: '' })
  })

  describe('Vite', () => {
    const [code = ''] = blocksOf('Vite')
    const shortForm = code.replace(/\{ target: (.*?) \}/, '$1')

    // A page that a phone opens: it is neither on https nor on localhost, so no header names its site.
    it.each([
      ['passes on what pages send, whatever address they were opened by', code, 200],
      ['does not in its short form, as the guide says', shortForm, 403],
    ])('%s', async (_, config, status) => {
      const proxy = createProxy({ client: new ModelRun(server.clientOptions()), ...OPEN })
      const backend = await startReceiver(proxy.node())
      const ownConfig = config.replace('http://127.0.0.1:3000', new URL(backend.url).origin)
      const [, configFile = ''] = await programs.write(`vite-${status}.config.js`, ownConfig)
      const vite = await createServer({ root: programs.path, configFile, logLevel: 'silent', server: { port: 0 } })
      await vite.listen()
      const port = new URL(vite.resolvedUrls?.local[0] ?? '').port
      const headers = { host: '192.0.2.7:5173', origin: 'http://192.0.2.7:5173', 'content-type': 'application/json' }
      expect(await post(`http://localhost:${port}/api/modelrun/v1/models/aurora-image/run`, headers)).toBe(status)
      await vite.close()
      await backend.close()
    })
  })

  it('shows each of them', () => {
    expect(
      ['Next.js', 'Express', 'Hono', 'Vite', 'In the page', 'Budgets'].map((name) => blocksOf(name).length),
    ).toEqual([1, 1, 1, 1, 1, 2])
  })
})

const OPEN = { models: ['aurora-image'], secret: SECRET, authorize: () => ({ user: 'anna' }) }

/** Sends a run with a `Host` of its own, which `fetch` does not do. */
async function post(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const sent = request(url, { method: 'POST', headers }).end(JSON.stringify({ input: { prompt: 'a fox' } }))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}
