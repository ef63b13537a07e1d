import { expect, test } from 'vitest'
import { controlDocument } from '../../test/control-document/control-document.ts'

test('control-openapi.json is what the routes and schemas say: `npx vitest run packages/reference-server -u` updates it', async () => {
  await expect(`${JSON.stringify(controlDocument(), null, 2)}\n`).toMatchFileSnapshot('../../control-openapi.json')
})
