import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderOf, type ServerName } from './installed.ts'
import { JOB_BODY, JOB_PATH } from './job.ts'

/** Arguments for Node that run a server on a port of the loopback interface, as quiet as it can be. */
export function argumentsOf(name: ServerName, port: number): string[] {
  const modules = join(folderOf(name), 'node_modules')
  switch (name) {
    case 'reference server':
      // Faster time, so that the job that is asked for has ended.
      return [
        `${modules}/@modelrun/reference-server/bin/modelrun-server.js`,
        ...flags({ port, scale: 1_000 }),
        '--json',
      ]
    case 'hono':
      return [fileURLToPath(new URL('../children/bare-hono.mjs', import.meta.url)), `${port}`, JSON.stringify(JOB_BODY)]
    case 'Prism': {
      const document = write(name, openApiDocument())
      const options = flags({ port, host: '127.0.0.1', verboseLevel: 'silent' })
      return [`${modules}/@stoplight/prism-cli/dist/index.js`, 'mock', document, ...options]
    }
    case 'Mockoon': {
      const options = flags({ data: write(name, mockoonEnvironment(port)), hostname: '127.0.0.1' })
      // `repair`, else it asks before it fills in what this file leaves to its defaults.
      const switches = ['--repair', '--disable-log-to-file', '--disable-admin-api']
      return [`${modules}/@mockoon/cli/bin/run.js`, 'start', ...options, ...switches]
    }
  }
}

function flags(options: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])
}

function write(name: ServerName, value: object): string {
  const path = join(folderOf(name), 'service.json')
  writeFileSync(path, JSON.stringify(value))
  return path
}

function openApiDocument(): object {
  const content = { 'application/json': { schema: { type: 'object' }, example: JOB_BODY } }
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
  const operation = { parameters, responses: { 200: { description: 'A job.', content } } }
  return { openapi: '3.1.0', info: { title: 'Jobs', version: '1' }, paths: { '/v1/jobs/{id}': { get: operation } } }
}

function mockoonEnvironment(port: number): object {
  const response = {
    uuid: 'response-1',
    body: JSON.stringify(JOB_BODY),
    statusCode: 200,
    headers: [{ key: 'content-type', value: 'application/json' }],
    bodyType: 'INLINE',
    default: true,
    rules: [],
    disableTemplating: true,
  }
  const endpoint = JOB_PATH.slice(1).replace(/[^/]+$/, ':id')
  const route = { uuid: 'route-1', type: 'http', method: 'get', endpoint, responses: [response] }
  const common = { uuid: 'environment-1', name: 'Jobs', hostname: '127.0.0.1', endpointPrefix: '', folders: [] }
  return { ...common, port, latency: 0, routes: [route], rootChildren: [{ type: 'route', uuid: 'route-1' }], data: [] }
}
