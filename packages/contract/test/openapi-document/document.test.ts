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

test('counts are integers, although a client takes any number (sections 2.1, 2.4 and 4.1)', () => {
  expect(document).toHaveProperty('components.schemas.RunCompleted.properties.credits_used.type', 'integer')
  expect(document).toHaveProperty('components.schemas.ModelList.properties.total.type', 'integer')
})

test('no object is closed: the specification forbids no further member', () => {
  expect(JSON.stringify(document)).not.toContain('"additionalProperties":false')
})

test('`sync` is true unless given, and every member of an input_schema is listed (sections 2.3 and 4.3)', () => {
  expect(document).toHaveProperty('components.schemas.RunRequest.properties.sync.default', true)
  expect(document).toHaveProperty('components.schemas.InputSchema.required', ['type', 'properties', 'required'])
  expect(document).toHaveProperty('components.schemas.InputSchema.properties.type.const', 'object')
})

test('the delivery is a callback of the run, at its `webhook_url` (section 4.3, rule 3)', () => {
  const callback = ['callbacks', 'jobFinished', '{$request.body#/webhook_url}', 'post', 'requestBody']
  expect(document).toHaveProperty(['paths', ROUTES.runModel.path, 'post', ...callback])
})

test('any status of success is a job, or a cancelled job: the specification names none (sections 4.4 and 4.5)', () => {
  for (const method of ['get', 'delete']) {
    expect(document).toHaveProperty(['paths', ROUTES.getJob.path, method, 'responses', '2XX'])
  }
})
