import { describe, expect, it, vi } from 'vitest'
import { Terminal } from '../terminal/terminal.ts'
import { BatchProgress } from './batch-progress.ts'
import { printReport, type RowReport } from './report.ts'

const END: RowReport = {
  row: 1,
  key: 'a',
  state: 'succeeded',
  job_id: 'job_1',
  request_id: undefined,
  sent_at: undefined,
  files: [],
  urls: [],
  credits: 4,
  attempt: 1,
  error: undefined,
  input: {},
}

function terminalOf(): { terminal: Terminal; said: () => string } {
  let said = ''
  const stream = { write: (text: string) => (said += text) }
  return { terminal: new Terminal({ stdin: {}, stdout: stream, stderr: stream, env: {} }), said: () => said }
}

describe('the progress of a batch', () => {
  it('counts no row again that an earlier process has sent', () => {
    vi.useFakeTimers()
    const { terminal, said } = terminalOf()
    const progress = new BatchProgress(
      terminal,
      { total: 4, ended: 1, sent: 3, price: 4, credits: 12 },
      { concurrency: 8, pollsPerSecond: 10 },
    )
    for (let row = 1; row <= 4; row++) {
      progress.add('succeeded')
      vi.advanceTimersByTime(10_000)
    }
    progress.end()
    vi.useRealTimers()
    expect(said().match(/\d+ credits/g)).toEqual(['12 credits', '12 credits', '12 credits', '16 credits'])
  })
})

describe('the report of a batch', () => {
  it('says that the same command polls the jobs of unknown rows, where they have one', async () => {
    const withJob = terminalOf()
    expect(await printReport([{ ...END, state: 'unknown' }], { credits: 4, terminal: withJob.terminal })).toBe(4)
    expect(withJob.said()).toContain('The same command polls those again that have a job, and nothing is paid.')
    const without = terminalOf()
    await printReport([{ ...END, state: 'unknown', job_id: undefined }], { credits: 4, terminal: without.terminal })
    expect(without.said()).not.toContain('polls those again')
  })
})
