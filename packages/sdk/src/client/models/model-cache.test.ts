import { fixtures } from '@modelrun/contract/fixtures'
import { expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { settle } from '../../../test/manual-clock.ts'
import { json, silent, text } from '../../../test/scripted-service.ts'
import { createTestCore } from '../../../test/test-client.ts'
import { openScope } from '../../shared/clock.ts'
import { ServerError } from '../errors/api-errors.ts'
import { AbortedError } from '../errors/transport-errors.ts'

test('a model is read once in five minutes', async () => {
  const { core, clock, service } = createTestCore([json(200, fixtures.models.textToImage.body)])
  const context = { scope: openScope({ clock }), options: {} }
  const read = () => core.modelCache.read('aurora-image', context)
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
  const read = (id: string) => core.modelCache.read(id, context)
  await expect(read('a')).rejects.toMatchObject({ status: 400 })
  await read('a')
  await read('b')
  expect(service.received.map(({ path }) => path)).toEqual(['/v1/models/a', '/v1/models/a', '/v1/models/b'])
})

test('a failed refresh is not hidden by what was known', async () => {
  const { core, clock } = createTestCore([json(200, fixtures.models.textToImage.body), text(500, '')])
  const context = { scope: openScope({ clock }), options: { maxRetries: 0 } }
  await core.modelCache.read('a', context)
  await clock.advance(300_000)
  await caught(core.modelCache.read('a', context), ServerError)
})

test('reads at the same time share one request', async () => {
  const { core, clock, service } = createTestCore([json(200, fixtures.models.textToImage.body)])
  const context = { scope: openScope({ clock }), options: {} }
  const reads = Array.from({ length: 8 }, () => core.modelCache.read('aurora-image', context))
  for (const model of await Promise.all(reads)) expect(model).toEqual(fixtures.models.textToImage.body)
  expect(service.received).toHaveLength(1)
})

test('a failure is not shared: each caller gets an error of its own', async () => {
  const { core, clock, service } = createTestCore([text(404, '')])
  const context = { scope: openScope({ clock }), options: {} }
  const reads = Array.from({ length: 3 }, () => core.modelCache.read('aurora-imgae', context))
  const outcomes = await Promise.allSettled(reads)
  const errors = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason)
  expect(new Set(errors).size).toBe(3)
  expect(service.received).toHaveLength(3)
})

test('a caller that leaves does not take the request from the others', async () => {
  const { core, clock, service } = createTestCore([silent(), json(200, fixtures.models.textToImage.body)])
  const controller = new AbortController()
  const read = (signal?: AbortSignal) => {
    return core.modelCache.read('aurora-image', { scope: openScope({ clock, signal }), options: {} })
  }
  const first = caught(read(controller.signal), AbortedError)
  const second = read()
  await settle()
  controller.abort()
  await first
  await expect(second).resolves.toMatchObject({ id: 'aurora-image' })
  expect(service.received).toHaveLength(2)
})

test('a caller that waits for the request of another leaves at once', async () => {
  const { core, clock, service } = createTestCore([silent()])
  const controller = new AbortController()
  const read = (signal?: AbortSignal) => {
    return core.modelCache.read('aurora-image', { scope: openScope({ clock, signal }), options: {} })
  }
  const other = read().catch(() => {})
  const leaving = caught(read(controller.signal), AbortedError)
  await settle()
  controller.abort()
  expect(await leaving).toMatchObject({ submission: 'not_sent' })
  expect(service.received).toHaveLength(1)
  await clock.run(other)
})
