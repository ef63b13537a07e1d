import { fileURLToPath } from 'node:url'
import openapiTypeScript, { astToString } from 'openapi-typescript'
import { expect, it } from 'vitest'

const document = new URL(import.meta.resolve('@modelrun/contract/openapi.json'))

// What has a default may be left out of a request.
it('service-types.ts is what openapi-typescript makes of openapi.json: `npx vitest run -u` updates it', async () => {
  const types = astToString(await openapiTypeScript(document, { defaultNonNullable: false }))
  await expect(types).toMatchFileSnapshot(fileURLToPath(new URL('service-types.ts', import.meta.url)))
})
