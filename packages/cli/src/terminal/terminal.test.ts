import { channel } from 'node:diagnostics_channel'
import { expect, test, vi } from 'vitest'
import { StatusLine, Terminal } from './terminal.ts'

test('where nothing is drawn, a wait says now and then why the service does not respond', () => {
  vi.useFakeTimers()
  const lines: string[] = []
  const stream = { write: (line: string) => lines.push(line) }
  const terminal = new Terminal({ stdin: process.stdin, stdout: stream, stderr: stream, env: {} })
  const line = new StatusLine(terminal, () => 'job_1 queued')
  vi.advanceTimersByTime(300_000)
  expect(lines).toEqual([])
  channel('modelrun:attempt').publish({ reason: 'HTTP 500' })
  vi.advanceTimersByTime(120_000)
  expect(lines).toEqual(Array(2).fill('job_1 queued · last request: HTTP 500\n'))
  line.end()
})
