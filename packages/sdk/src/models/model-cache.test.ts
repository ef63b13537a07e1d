import { fixtures } from '@modelrun/contract/fixtures'
import { expect, test } from 'vitest'
import { ServerError } from '../errors/api-errors.ts'
import { openScope } from '../scope.ts'
import { caught } from '../testing/caught.ts'
import { json, text } from '../testing/scripted-service.ts'
import { createTestCore } from '../testing/test-client.ts'

test('a model is read once in five minutes', async () => {
  const { core, clock, service } = createTestCore([json(200, fixtures.models.textToImage.body)])
  const context = { scope: openScope({ clock }), options: {} }
  const read = () => core.modelCache.read(core, 'aurora-image', context)
  await read()
  await clock.advance(299_999)
  await expect(read()).resolves.toEqual(fixtures.models.textToImage.body)
  expect(service.received).toHaveLength(1)
  await clock.advance(1)
  await read()
  expect(service.received).toHaveLength(2)
})

test('each model is remembered on its own, and a failure is not', async () => {
  const { core, clock, service } = createTestCore([text(400, ''), json(200, fixtures.models.textToImage.body)])
  const context = { scope: openScope({ clock }), options: { maxRetries: 0 } }
  const read = (id: string) => core.modelCache.read(core, id, context)
  await expect(read('a')).rejects.toMatchObject({ status: 400 })
  await read('a')
  await read('b')
  expect(service.received.map(({ path }) => path)).toEqual(['/v1/models/a', '/v1/models/a', '/v1/models/b'])
})

test('a failed refresh is not hidden by what was known', async () => {
  const { core, clock } = createTestCore([json(200, fixtures.models.textToImage.body), text(500, '')])
  const context = { scope: openScope({ clock }), options: { maxRetries: 0 } }
  await core.modelCache.read(core, 'a', context)
  await clock.advance(300_000)
  await caught(core.modelCache.read(core, 'a', context), ServerError)
})
