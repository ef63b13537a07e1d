import { ROUTES } from '@modelrun/contract'
import { expect, test } from 'vitest'
import { openApiDocument } from './document.ts'

const document = openApiDocument()

test('openapi.json is what the contract says: `npx vitest run packages/contract -u` writes it', async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../../openapi.json')
})

test('every endpoint names its section and its permission (sections 4 and 5)', () => {
  for (const [operationId, { method, path, permission }] of Object.entries(ROUTES)) {
    expect(document).toHaveProperty(['paths', path, method.toLowerCase()], {
      operationId,
      description: expect.stringMatching(/Specification: section 4\.\d\. Needs the permission `\w+:\w+`/),
      security: [{ apiKey: [permission] }],
      tags: expect.any(Array),
      summary: expect.any(String),
      parameters: expect.any(Array),
      responses: expect.any(Object),
      ...(method === 'POST' ? { requestBody: expect.any(Object), callbacks: expect.any(Object) } : {}),
    })
  }
})

test('no object is closed: the specification forbids no further member', () => {
  expect(JSON.stringify(document)).not.toContain('"additionalProperties":false')
})

const DELIVERY = ['callbacks', 'jobFinished', '{$request.body#/webhook_url}', 'post', 'requestBody', 'required']

test.each<[what: string, path: string[], value: unknown]>([
  [
    'counts are integers, although a client takes any number (2.4)',
    ['RunCompleted', 'properties', 'credits_used', 'type'],
    'integer',
  ],
  ['`sync` is true unless given (4.3)', ['RunRequest', 'properties', 'sync', 'default'], true],
  ['every member of an input_schema is listed (2.3)', ['InputSchema', 'required'], ['type', 'properties', 'required']],
])('%s', (_what, path, value) => {
  expect(document).toHaveProperty(['components', 'schemas', ...path], value)
})

test('the delivery is a callback of the run, at its `webhook_url` (section 4.3, rule 3)', () => {
  expect(document).toHaveProperty(['paths', ROUTES.runModel.path, 'post', ...DELIVERY], true)
})
