import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { createInbox } from 'modelrun/webhooks'
import { deliver, failedEvent } from 'modelrun/webhooks/testing'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { blocksUnder, programFolder, readGuides } from '../guide-programs.ts'
import { freePort } from '../services/service-process.ts'

const SECRET = 'a secret of the test, 32 bytes long'
/** Large, so that the limits of body parsers show. */
const EVENT = failedEvent({ job_id: 'job_1', error: { code: 'X', message: 'x'.repeat(200_000) } })
const guide = await readGuides('webhooks-frameworks.md', 'webhooks-operations.md')
const blocksOf = (heading: string) => blocksUnder(guide, heading)

const servers = ['node:http', 'Express 5 and 4', 'Fastify 5', 'Hono', 'Stopping'].flatMap((heading) =>
  blocksOf(heading).map((code, index) => ({ title: `${heading} (${index + 1})`, code })),
)

/** How each function is called with a delivery: `url` and `body`; the response's status. */
const functions = [
  { heading: 'Next.js', call: `(await recipe.POST(new Request(url, { method: 'POST', body }))).status` },
  {
    heading: 'Cloudflare Workers',
    call: `(await recipe.default.fetch(new Request(url, { method: 'POST', body }), {}, { waitUntil() {} })).status`,
  },
  {
    heading: 'AWS Lambda',
    call: `(await recipe.handler({ rawPath: '/', rawQueryString: new URL(url).search.slice(1), headers: {}, body,
      requestContext: { http: { method: 'POST' } } })).statusCode`,
  },
]

describe('a recipe of the guide', () => {
  const signer = createInbox({ secret: SECRET })
  const programs = programFolder()
  let child: ChildProcess | undefined

  beforeAll(async () => {
    const inbox = `import { createInbox } from 'modelrun/webhooks'
      export const inbox = createInbox({ secret: '${SECRET}', onFailed: ({ job_id }) => console.log('handled', job_id) })
      export const createInboxOf = () => inbox`
    await programs.write('inbox.js', inbox)
  })
  afterEach(() => child?.kill('SIGKILL'))

  test.each(servers)('is a server that receives: $title', async ({ title, code }) => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/webhooks`
    const env = { ...process.env, PORT: String(port) }
    const server = spawn(process.execPath, await programs.write('server.js', code), { env })
    child = server
    let output = ''
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (output += text))
    await vi.waitFor(() => fetch(url), { timeout: 100_000 })
    const responses = await deliver(await signer.callbackUrl(url), { events: EVENT })
    expect(responses).toMatchObject([{ status: 202 }])
    await vi.waitFor(() => expect(output).toBe('handled job_1\n'), { timeout: 100_000 })
    if (title.startsWith('Stopping')) {
      const exit = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGTERM')
      await expect(exit).resolves.toBe(0)
    }
  })

  test.each(functions)('is a function that receives: $heading', async ({ heading, call }) => {
    const [code = ''] = blocksOf(heading)
    await programs.write('recipe.js', code)
    const url = await signer.callbackUrl('https://app.example.com/webhooks')
    const program = `const recipe = await import('./recipe.js')
      const [url, body] = ${JSON.stringify([url, JSON.stringify(EVENT)])}
      const status = ${call}
      const { inbox } = await import('./inbox.js')
      await inbox.waitFor('job_1')
      console.log(status)
      await recipe.scheduled?.()
      await recipe.default?.scheduled()`
    const { stdout, stderr } = await promisify(execFile)(process.execPath, await programs.write('program.js', program))
    expect([stdout, stderr]).toEqual(['handled job_1\n202\n', ''])
  })

  test('is there for each of them', () => {
    expect(servers).toHaveLength(6)
    expect(functions.map(({ heading }) => blocksOf(heading).length)).toEqual([1, 1, 1])
  })
})
