import { doTheJob, expected } from './job'

test('Jest does the job', async () => {
  expect(await doTheJob()).toEqual(expected)
})
