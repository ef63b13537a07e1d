import { fileURLToPath } from 'node:url'
import SwaggerParser from '@apidevtools/swagger-parser'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'

const DOCUMENTS = ['@modelrun/contract/openapi.json', '@modelrun/reference-server/control-openapi.json']

// Redocly CLI reads both in `npm run lint:openapi`; `npm run consumers` has a fourth validator, and generators.
describe.each(DOCUMENTS)('%s', (name) => {
  const file = fileURLToPath(import.meta.resolve(name))

  it('is valid for swagger-parser', async () => {
    await expect(SwaggerParser.validate(file)).resolves.toHaveProperty('openapi', '3.1.1')
  })

  it('is valid for openapi-schema-validator', async () => {
    const validator = new Validator()
    expect(await validator.validate(file)).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })
})
