import { test } from '@modelrun/reference-server/vitest'
import { ModelRun } from 'modelrun'
import { expect } from 'vitest'
import { draw } from './app.cjs'

// Each test has a server of its own, which a test must not leave with work.
test('an image', async ({ server, clientOptions }) => {
  expect(await draw(new ModelRun(clientOptions))).toEqual({ url: expect.stringMatching(/\.png$/) })
  expect(server.credits()).toBe(10_000 - 4)
})

test('a lost response', async ({ server, clientOptions }) => {
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after' })
  expect(await draw(new ModelRun(clientOptions))).toEqual({ message: expect.stringContaining('may have been paid') })
  server.reset()
})
