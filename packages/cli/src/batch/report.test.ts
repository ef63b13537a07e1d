import type { Run } from '@modelrun/durable'
import { expect, it, vi } from 'vitest'
import { Terminal } from '../terminal/terminal.ts'
import { BatchProgress } from './batch-progress.ts'
import { describeRow, printReport } from './report.ts'

function terminalOf(): { terminal: Terminal; said: () => string } {
  let said = ''
  const stream = { write: (text: string) => (said += text) }
  return { terminal: new Terminal({ stdin: {}, stdout: stream, stderr: stream, env: {} }), said: () => said }
}

it('the progress of a batch counts no row again that an earlier process has sent', () => {
  vi.useFakeTimers()
  const { terminal, said } = terminalOf()
  const progress = new BatchProgress(terminal, {
    total: 4,
    ended: 1,
    sent: 3,
    price: 4,
    credits: 12,
    left: { runs: 0, credits: 0 },
  })
  for (let row = 1; row <= 4; row++) {
    progress.add('succeeded')
    vi.advanceTimersByTime(10_000)
  }
  progress.end()
  vi.useRealTimers()
  expect(said().match(/\d+ credits/g)).toEqual(['12 credits', '12 credits', '12 credits', '16 credits'])
})

it.each([
  ['job_1', true],
  [undefined, false],
])(
  'the report of a batch says that the same command polls the jobs of unknown rows, for the job %s: %s',
  async (jobId, isSaid) => {
    const { terminal, said } = terminalOf()
    const run = { state: 'unknown', jobId } as Run
    const reports = [describeRow({ key: 'a', attempt: 1, run })]
    expect(await printReport(reports, { credits: 4, terminal })).toBe(4)
    expect(said().includes('The same command polls those again that have a job, and nothing is paid for them.')).toBe(
      isSaid,
    )
  },
)
