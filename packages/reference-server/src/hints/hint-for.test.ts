import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

const MODEL = 'aurora-image'
const PROMPT = { prompt: 'a red fox' }

type Ask = (caller: ReturnType<typeof apiCaller>) => Promise<{ status: number; headers: Headers; text: string }>

const post =
  (path: string, body: object): Ask =>
  (caller) =>
    caller.post(path, body)
const run = (body: object, model = MODEL): Ask => post(`/v1/models/${encodeURIComponent(model)}/run`, body)
const get =
  (path: string): Ask =>
  (caller) =>
    caller.get(path)

/** Asks with another Authorization header, or none, and more headers. */
function withHeaders(headers: (key: string) => Record<string, string>): Ask {
  return async () => {
    const server = createReferenceServer()
    const response = await server.fetch('/v1/models', { headers: headers(server.apiKey) })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
}

const bearer = (change: (key: string) => string) => withHeaders((key) => ({ authorization: `Bearer ${change(key)}` }))

describe('hints', () => {
  it.each<[what: string, ask: Ask, status: number, hint: RegExp]>([
    ['a misspelt path', get('/v1/model/aurora-image'), 404, /Did you mean GET \/v1\/models\/\{id\}\?/],
    ['a path without its version', get('/models'), 404, /Did you mean GET \/v1\/models\?/],
    ['a version that is given twice', get('/v1/v1/models'), 404, /\/v1 twice.*Did you mean GET \/v1\/models\?/],
    ['another version', get('/v2/jobs/job_1'), 404, /Did you mean GET \/v1\/jobs\/\{id\}\?/],
    ['a verb in a path', post('/v1/jobs/job_1/cancel', {}), 404, /Did you mean DELETE \/v1\/jobs\/\{id\}\?/],
    ['a slash at the end', get('/v1/models/'), 404, /Did you mean GET \/v1\/models\?/],
    ['a wrong method', get(`/v1/models/${MODEL}/run`), 405, /Did you mean POST .*\/run\?.*assumption wrongMethod/],
    ['a misspelt model', run({ input: PROMPT }, 'aurora-imge'), 404, /Did you mean the model aurora-image\?/],
    ['a model without provider', get('/v1/models/aurora-video'), 404, /the model lumen\/aurora-video\?/],
    ['a model from nowhere', get('/v1/models/zzzzzzzz'), 404, /GET \/v1\/models lists the models\./],
    [
      'a misspelt parameter',
      run({ input: { prmpt: 'a' } }),
      400,
      /Did you mean prompt\?.*invalidInput: 400 VALIDATION_ERROR/,
    ],
    [
      'a path for a URL',
      run({ input: { image_url: 'a.png' } }, 'pixelwright/cutout'),
      400,
      /2\.3 .*assumption sourceUrls/,
    ],
    ['a parameter beside input', run({ prompt: 'a' }), 400, /send \{"input": \{"prompt": \.\.\.\}\}/],
    ['a field within input', run({ input: { ...PROMPT, sync: false } }), 400, /sync stands beside input/],
    ['a misspelt field', run({ input: PROMPT, webhookUrl: 'x' }), 400, /did you mean webhook_url\?/],
    [
      'a webhook with a password',
      run({ input: PROMPT, webhook_url: 'https://user:secret@app.test/hook' }),
      400,
      /^Section 4\.3 leaves this open; assumption webhookUserInfo: 400/,
    ],
    [
      'a malformed body beside a right input',
      run({ input: PROMPT, webhook_url: 'app.test/hook' }),
      400,
      /^Section 4.3 .* webhookSchemes: 400 VALIDATION_ERROR/,
    ],
    ['a field of another service', run({ input: PROMPT, async: true }), 400, /async: did you mean sync: false\?/],
    ['a field in the query', post(`/v1/models/${MODEL}/run?sync=false`, {}), 400, /sync is a member of the JSON body/],
    ['a misspelt query parameter', get('/v1/models?catgory=x'), 400, /Did you mean category\?/],
    [
      'an almost known category',
      get('/v1/models?category=text-to-imag'),
      200,
      /text-to-image\?.*unknownCategory: "empty"/,
    ],
    ['a limit that is too large', get('/v1/models?limit=101'), 400, /limitAboveMaximum: 400 VALIDATION_ERROR/],
    ['a request_id as a job_id', get('/v1/jobs/req_1'), 404, /That is a request_id/],
    ['an asynchronous run', run({ input: PROMPT, sync: false }), 202, /assumption asyncRunStatus: 202/],
    ['no key', withHeaders(() => ({ 'x-api-key': 'a' })), 401, /does not read x-api-key/],
    ['a key without Bearer', withHeaders((key) => ({ authorization: key })), 401, /"Bearer" is missing/],
    ['a key that was not set', bearer(() => 'undefined'), 401, /the word "undefined"/],
    ['a placeholder', bearer(() => '$MODELRUN_API_KEY'), 401, /placeholder/],
    ['a key in quotes', bearer((key) => `"${key}"`), 401, /stands in quotes/],
    ['half a key', bearer((key) => key.slice(0, 20)), 401, /32 characters after sk_test_: was it copied whole/],
    ['a key with a blank in it', bearer((key) => `${key.slice(0, 20)} ${key.slice(20)}`), 401, /no white space/],
    ['a key with a sign in it', bearer((key) => `${key}%`), 401, /only letters, digits/],
    ['a key of something else', bearer(() => 'abc'), 401, /Keys start with sk_live_ or sk_test_/],
    ['a live key from elsewhere', bearer(() => 'sk_live_0123456789'), 401, /live key that this server did not make/],
  ])('help with %s', async (_, ask, ...expected) => {
    const [status, hint] = expected
    const server = createReferenceServer({ clock: 'auto' })
    const response = await ask(apiCaller(server))
    expect([response.status, response.headers.get('x-modelrun-hint')]).toEqual([status, expect.stringMatching(hint)])
    expect(response.text).not.toMatch(/assumption/)
  })

  it('say that a job belongs to another account, or was evicted', async () => {
    const server = createReferenceServer({ clock: 'manual', retention: { finishedJobs: 1 } })
    const { key: other } = server.createKey()
    const job = await apiCaller(server, other).run(MODEL, { sync: false })
    const foreign = await apiCaller(server).get(`/v1/jobs/${job.body.job_id}`)
    expect(foreign.headers.get('x-modelrun-hint')).toMatch(/job of another account: .*otherAccountsJob/)
    for (let count = 0; count < 2; count++) await apiCaller(server, other).run(MODEL, { sync: false })
    await server.clock.advance(60_000)
    const evicted = await apiCaller(server, other).get(`/v1/jobs/${job.body.job_id}`)
    expect([evicted.status, evicted.headers.get('x-modelrun-hint')]).toEqual([
      404,
      expect.stringMatching(/2 older ones/),
    ])
  })

  it('are missing where there is nothing to say', async () => {
    const server = createReferenceServer({ clock: 'auto' })
    const caller = apiCaller(server)
    const done = await caller.run(MODEL)
    const responses = [done, await caller.get('/v1/models'), await caller.get(`/v1/jobs/${done.body.job_id}`)]
    for (const { status, headers } of responses) expect([status, headers.has('x-modelrun-hint')]).toEqual([200, false])
  })

  it('say which fault made a response', async () => {
    const server = createReferenceServer()
    server.faults.add({ kind: 'server-error' })
    const { status, headers } = await apiCaller(server).get('/v1/models')
    expect([status, headers.get('x-modelrun-hint')]).toEqual([500, 'Made by fault_1 (server-error).'])
  })

  it('go to the log and the journal as well', async () => {
    const lines: string[] = []
    const server = createReferenceServer({ clock: 'manual', log: (line) => lines.push(line) })
    await apiCaller(server).get('/models')
    expect(lines).toEqual([expect.stringMatching(/^GET \/models 404 0 ms \(Did you mean GET \/v1\/models\?/)])
    expect(server.journal.entries()).toMatchObject([{ hint: expect.stringContaining('Did you mean') }])
  })

  it('warn of a webhook at a private address, in the response, the log and the journal', async () => {
    const lines: string[] = []
    const server = createReferenceServer({ clock: 'manual', log: (line) => lines.push(line) })
    const response = await apiCaller(server).run(MODEL, { webhook_url: 'http://192.168.1.5/hook' })
    expect(response.headers.get('x-modelrun-hint')).toContain('The webhook leads to a private address')
    expect(lines[0]).toMatch(/^warning: The webhook leads to a private address/)
    expect(server.journal.entries({ kind: 'note' })).toMatchObject([
      { text: expect.stringContaining('private address') },
    ])
    const loopback = await apiCaller(server).run(MODEL, { webhook_url: 'http://127.0.0.1:1/' })
    expect(loopback.headers.has('x-modelrun-hint')).toBe(false)
  })
})

/** Everything that a client gets, without what is different each time. */
async function seenWith(server: ReferenceServer, key: string, path = '/v1/models'): Promise<string> {
  const { status, headers, text } = await apiCaller(server, key).get(path)
  const shown = [...headers].filter(([name]) => name !== 'x-request-id')
  return JSON.stringify({ status, headers: shown, text })
}

/** A wrong key of the right length whose first characters are right. */
function guess(key: string, rightCharacters: number): string {
  const wrong = [...key.slice(rightCharacters)].map((letter) => (letter === 'z' ? 'y' : 'z')).join('')
  return key.slice(0, rightCharacters) + wrong
}

const PREFIX = 'sk_test_'.length

describe('a client that guesses keys', () => {
  it.each(['in process', 'beyond loopback'])('sees the same however many characters are right, %s', async (where) => {
    const server = createReferenceServer()
    if (where === 'beyond loopback') server.transport.set({ sendGuarded: async () => new Response() })
    const { key } = server.createKey()
    const whole = new Set<string>()
    const responses = new Set<string>()
    for (let count = PREFIX; count < key.length; count++) {
      whole.add(await seenWith(server, guess(key, count)))
      responses.add(await seenWith(server, key.slice(0, count)))
    }
    expect([...whole]).toHaveLength(1)
    expect([...responses]).toHaveLength(1)
    expect(responses).toContain(await seenWith(server, 'sk_test_nothing'))
  })

  it('sees nothing of another key in any response', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const { key: other } = server.createKey()
    const { body } = await apiCaller(server, other).run('aurora-image', { sync: false })
    const rotated = server.rotateKey(other).key
    const seen = [
      await seenWith(server, server.apiKey, `/v1/jobs/${String(body.job_id)}`),
      await seenWith(server, other),
      await seenWith(server, `"${rotated}"`),
      await seenWith(server, `${rotated}x`),
      await seenWith(server, server.apiKey, `/files/${String(body.job_id)}/0.png`),
    ].join()
    for (const key of [other, rotated]) expect(seen).not.toContain(key.slice(PREFIX, PREFIX + 4))
  })
})
