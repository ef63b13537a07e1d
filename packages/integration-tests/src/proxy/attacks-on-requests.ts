import { gzipSync } from 'node:zlib'
import { type Attack, BODY, RUN, run } from './attack.ts'

export function attacksOnOrigins(ownJob: string): Attack[] {
  const forbidden = (name: string, why: string, headers: Attack['headers']) => run({ name, why, headers, status: 403 })
  const bare = { 'sec-fetch-site': undefined, origin: undefined }
  return [
    forbidden('a page of another site', 'its visitor may be signed in here', { 'sec-fetch-site': 'cross-site' }),
    forbidden('a page of a subdomain', 'it may be in other hands', { 'sec-fetch-site': 'same-site' }),
    forbidden('a request without an origin', 'nothing says that it is from a page of here', bare),
    forbidden('a sandboxed frame', 'it hides its origin', { ...bare, origin: 'null' }),
    forbidden('an origin that looks like the own one', 'hosts are compared as a whole', {
      ...bare,
      origin: 'http://127.0.0.1.evil.example.com',
    }),
    forbidden('an own origin in a second header', 'what is not one origin is none', {
      ...bare,
      origin: 'https://evil.example.com, http://127.0.0.1',
    }),
    {
      name: 'a cancel from another site',
      why: 'the same',
      target: `DELETE /api/modelrun/v1/jobs/${ownJob}`,
      headers: { 'sec-fetch-site': 'cross-site' },
      status: 403,
    },
    {
      name: 'a poll from another site',
      why: 'results are not for other sites',
      target: `GET /api/modelrun/v1/jobs/${ownJob}`,
      headers: { 'sec-fetch-site': 'cross-site' },
      status: 403,
    },
    {
      name: 'a preflight of another origin',
      why: 'without `allowedOrigins` there is no CORS',
      target: RUN.replace('POST', 'OPTIONS'),
      headers: { origin: 'https://evil.example.com', 'access-control-request-method': 'POST' },
      status: 405,
    },
    run({
      name: 'a visitor without a session',
      why: 'the proxy is closed',
      headers: { authorization: undefined },
      status: 401,
    }),
    run({
      name: 'a session that is not known',
      why: 'the same',
      headers: { authorization: 'Session guessed' },
      status: 401,
    }),
    run({
      name: 'a key of the service as the session',
      why: 'the page has no key, and brings none in',
      headers: { authorization: 'sk_live_0123456789' },
      status: 401,
    }),
  ]
}

export function attacksOnBodies(): Attack[] {
  const bad = (name: string, why: string, body: string) => run({ name, why, body, status: 400 })
  const input = { prompt: 'x' }
  return [
    bad(
      'a webhook',
      'the service would post results to any address',
      JSON.stringify({ input, webhook_url: 'https://evil.example.com' }),
    ),
    bad(
      'a webhook beside another spelling',
      'unknown members are rejected, not passed on',
      JSON.stringify({ input, webhookUrl: 'https://evil.example.com' }),
    ),
    bad('a target in the body', 'the same', JSON.stringify({ input, url: 'http://169.254.169.254/' })),
    bad('two bodies in one', 'what is not one JSON text is not read', `${BODY}${BODY}`),
    bad('a prototype', 'code that merges inputs would change all objects', '{"input":{"__proto__":{"admin":true}}}'),
    bad(
      'a hundred thousand levels',
      'a stack would not hold them',
      `{"input":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    ),
    run({
      name: 'two megabytes',
      why: 'memory',
      body: JSON.stringify({ input: { prompt: 'x'.repeat(2_000_000) } }),
      status: 413,
    }),
    run({
      name: 'a small body that unpacks to a huge one',
      why: 'memory',
      body: gzipSync('x'.repeat(1_000_000)),
      headers: { 'content-encoding': 'gzip' },
      status: 400,
    }),
    run({
      name: 'JSON as plain text',
      why: 'a form of another site can send it without a preflight',
      headers: { 'content-type': 'text/plain' },
      status: 415,
    }),
    run({
      name: 'a form',
      why: 'the same',
      body: 'input=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      status: 415,
    }),
  ]
}

export function attacksOnMethods(ownJob: string): Attack[] {
  const job = `/api/modelrun/v1/jobs/${ownJob}`
  const override = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' }
  return [
    {
      name: 'another method in a header',
      why: 'the method is the one of the request',
      target: `POST ${job}`,
      headers: override,
      status: 405,
    },
    {
      name: 'another method in the query',
      why: 'this path has no query',
      target: `GET ${job}?_method=DELETE`,
      status: 400,
    },
    {
      name: 'a query that goes to the service',
      why: 'only the parameters of section 4.1, each once',
      target: 'GET /api/modelrun/v1/models?limit=1&limit=100',
      status: 400,
    },
    {
      name: 'a parameter that is not known',
      why: 'the same',
      target: 'GET /api/modelrun/v1/models?api_key=x',
      status: 400,
    },
    ...['HEAD', 'TRACE', 'PUT', 'PATCH', 'OPTIONS', 'PROPFIND'].map((method) => ({
      name: `the method ${method}`,
      why: 'it is not one of the routes; TRACE would echo cookies',
      target: `${method} ${job}`,
      status: 405,
    })),
  ]
}
