import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { AbortedError, DeadlineExceededError } from '../errors/transport-errors.ts'

describe('what a run is after several attempts', () => {
  test.each([
    ['an abort', {}, AbortedError],
    ['a deadline', { deadlineMs: 700 }, DeadlineExceededError],
  ])('is the worst of them: rejected, then %s before the next one was sent', async (_, ends, type) => {
    const controller = new AbortController()
    let asked = 0
    const apiKey = async () => {
      if (++asked === 1) return 'sk_test_0123456789abcdef'
      if (type === AbortedError) controller.abort()
      return await new Promise<never>(() => {})
    }
    const { client, clock } = createTestClient([text(429, '')], { apiKey, random: () => 1 })
    const call = client.run('aurora-image', {}, { signal: controller.signal, ...ends })
    const error = await caught<Error>(clock.run(call), type)
    expect(error).toMatchObject({ submission: 'rejected', attempts: [{ status: 429 }, {}] })
    expect(error.message).not.toContain('was not sent')
  })
})
