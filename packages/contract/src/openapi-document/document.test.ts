import { ROUTES } from '@modelrun/contract'
import { expect, test } from 'vitest'
import { openApiDocument } from './document.ts'

const document = openApiDocument()

test('openapi.json is what the contract says: `npx vitest run -u packages/contract` writes it anew', async () => {
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
      ...(method === 'POST' ? { requestBody: expect.any(Object) } : {}),
    })
  }
})

test('counts are integers, although a client takes any number (sections 2.1, 2.4 and 4.1)', () => {
  expect(document).toHaveProperty('components.schemas.RunCompleted.properties.credits_used.type', 'integer')
  expect(document).toHaveProperty('components.schemas.ModelList.properties.total.type', 'integer')
})

test('a request is closed and an answer is open', () => {
  expect(document).toHaveProperty('components.schemas.RunRequest.additionalProperties', false)
  expect(document).not.toHaveProperty('components.schemas.JobResponse.additionalProperties')
})
