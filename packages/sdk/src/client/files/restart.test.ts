import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { createFileHost, type FileFault, type HostedFile } from '../../../test/file-host.ts'
import { type Step, text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { ConnectionError } from '../errors/transport-errors.ts'
import type { DownloadOptions } from './file-options.ts'

const FILE_URL = 'https://files.example.com/job_1/0.mp4'
const CONTENT = 'a video of a red fox'
const BREAK: FileFault = { bytes: 6, how: 'breaks' }

function start(step: Step, options: DownloadOptions = {}) {
  const { client, service, clock } = createTestClient([step])
  const file = () => client.files.download(FILE_URL, options)
  return {
    service,
    bytes: () => clock.run(file().then(async (open) => new TextDecoder().decode(await open.bytes()))),
    stream: () => clock.run(file().then(({ stream }) => new Response(stream).text())),
  }
}

const host = (faults: FileFault[], more: Partial<HostedFile> = {}) =>
  createFileHost({ content: CONTENT, faults, ...more })

describe('a body that breaks', () => {
  test('is given up after maxRetries, whatever failed before', async () => {
    const { bytes, service } = start(host([text(503, ''), BREAK, BREAK]), { jobId: 'job_1' })
    const error = await caught(bytes(), ConnectionError)
    expect(service.received).toHaveLength(3)
    expect(error.attempts.map(({ status, reason }) => [status, reason])).toEqual([
      [503, 'HTTP 503'],
      [200, 'ECONNRESET'],
      [200, 'ECONNRESET'],
    ])
    expect(error.message).toContain('failed after 3 requests: ECONNRESET. The first 6 of 20 bytes had come.')
    expect(error).toMatchObject({ jobId: 'job_1', submission: 'accepted', isRetryable: true })
  })

  test('that broke after its last byte is whole', async () => {
    const { stream, service } = start(host([{ bytes: CONTENT.length, how: 'breaks' }]))
    await expect(stream()).resolves.toBe(CONTENT)
    expect(service.received).toHaveLength(1)
  })

  test('fails a stream that has given bytes, and the error says what starts again by itself', async () => {
    const { stream, service } = start(host([BREAK]))
    const error = await caught(stream(), ConnectionError)
    expect(error.message).toContain('`save`, `bytes` and `blob` do so by themselves')
    expect(error.isRetryable).toBe(true)
    expect(service.received).toHaveLength(1)
  })

  test('does not fail a stream that has given none', async () => {
    await expect(start(host([{ bytes: 0, how: 'breaks' }])).stream()).resolves.toBe(CONTENT)
  })
})
