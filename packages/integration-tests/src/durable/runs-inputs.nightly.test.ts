import { expect, it } from 'vitest'
import { finish, MODEL, setUpRuns } from './runs-harness.ts'

it('rejects an input when it is added that JSON would change, and stores what is sent', async () => {
  const { server, runs } = await setUpRuns({})
  await expect(runs.add('a', MODEL, { prompt: 'a', seed: Number.NaN })).rejects.toMatchObject({
    name: 'InputValidationError',
    issues: [{ pointer: '/seed', message: 'is NaN, which JSON turns into null.' }],
  })
  await expect(runs.add('a', MODEL, { prompt: new Map() })).rejects.toThrow('/prompt is a Map, which JSON empties.')
  expect(await runs.get('a')).toBeUndefined()
  const document = { toJSON: () => ({ prompt: 'a', num_images: undefined }) }
  for (let time = 0; time < 2; time++) await runs.add('a', MODEL, document as never)
  expect(await finish(runs)).toMatchObject([{ state: 'succeeded', input: { prompt: 'a' } }])
  await server.close()
}, 30_000)
