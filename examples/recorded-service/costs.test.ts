import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createReferenceServer } from '@modelrun/reference-server'
import { loadRecording } from '@modelrun/reference-server/node'
import { describeCosts } from './costs.ts'

test('the program gets from the recording what it got from the service', async () => {
  const recording = await loadRecording(join(import.meta.dirname, 'recording'))
  const server = createReferenceServer({ ...recording, clock: 'auto' })
  assert.deepEqual(await describeCosts(server.clientOptions()), [
    'text-to-image: pocket-sketch for 1',
    'text-to-speech: plain-voice for 2',
    'paid 1 for 1 image',
  ])
})
