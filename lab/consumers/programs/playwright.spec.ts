import { expect, test } from '@playwright/test'
import { doTheJob, expected } from './job'

test('Playwright does the job', async () => {
  expect(await doTheJob()).toEqual(expected)
})
