import { ModelRunError } from 'modelrun'
import { afterEach, describe, expect, test } from 'vitest'
import { type HostileServer, startHostileServer } from './hostile-server.ts'
import { READ_FAULTS } from './read-faults.ts'
import { createTestClient, createTestClock, observe } from './test-client.ts'

let server: HostileServer

afterEach(async () => {
  await server.close()
})

describe('a read at a service that (section 4.1)', () => {
  test.each(READ_FAULTS)('$name: the service gets $gets, the caller $outcome', async (fault) => {
    const clock = createTestClock()
    server = await startHostileServer({ GET: fault.responses, onStall: clock.leap })
    const client = createTestClient(server.url, { clock })
    const { settled, name } = await observe((signal) => client.models.list({}, { signal }))
    expect(name).toBe(fault.outcome)
    expect(server.requests).toHaveLength(fault.gets)
    if (settled instanceof ModelRunError) {
      expect(settled).toMatchObject({ submission: 'not_sent', isRetryable: fault.isRetryable })
      expect(settled.attempts).toHaveLength(fault.gets)
    }
  })
})
