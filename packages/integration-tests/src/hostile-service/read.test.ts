import { ModelRunError } from 'modelrun'
import { expect, onTestFinished, test } from 'vitest'
import { startHostileServer } from './hostile-server.ts'
import { READ_FAULTS } from './read-faults.ts'
import { createTestClient, createTestClock, observe } from './test-client.ts'

test.each(READ_FAULTS)(
  'a read at a service that (section 4.1) $name: the service gets $gets, the caller $outcome',
  async (fault) => {
    const clock = createTestClock()
    const server = await startHostileServer({ GET: fault.responses, onStall: clock.leap })
    onTestFinished(() => server.close())
    const client = createTestClient(server.url, { clock })
    const { settled, name } = await observe((signal) => client.models.list({}, { signal }))
    expect(name).toBe(fault.outcome)
    expect(server.requests).toHaveLength(fault.gets)
    if (settled instanceof ModelRunError) {
      expect(settled).toMatchObject({ submission: 'not_sent', isRetryable: fault.isRetryable })
      expect(settled.attempts).toHaveLength(fault.gets)
    }
  },
)
