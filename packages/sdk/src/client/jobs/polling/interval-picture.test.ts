import { fileURLToPath } from 'node:url'
import { type ExpectedDuration, type PollAge, pollDelayMs } from '@modelrun/kit'
import { expect, test } from 'vitest'

const PICTURE = fileURLToPath(new URL('../../../../../../docs/guides/cadence.svg', import.meta.url))

const limits = { initialIntervalMs: 500, maxIntervalMs: 5_000 }
const EXPECTED: ExpectedDuration = { earliestMs: 36_000, latestMs: 44_000 }
const JOB_MS = 41_200
const [LEFT, WIDTH, SECONDS, ROW] = [190, 600, 48, 56]

/** When a job of 41 s is polled, up to the poll that finds it finished. */
function polls(more: Partial<PollAge>): number[] {
  const times: number[] = []
  for (let ageMs = 0; ageMs < JOB_MS; ) {
    ageMs += pollDelayMs({ ...more, ageMs }, limits)
    times.push(ageMs)
  }
  return times
}

const x = (ms: number) => LEFT + (ms / 1_000 / SECONDS) * WIDTH

function row(title: string, index: number, times: readonly number[]): string {
  const y = 60 + index * ROW
  const lateMs = Math.round((times.at(-1) ?? 0) - JOB_MS)
  const dots = times.map((ms) => `<circle cx="${x(ms).toFixed(1)}" cy="${y}" r="3.5"/>`).join('')
  return `<text x="12" y="${y - 2}" class="title">${title}</text>
<text x="12" y="${y + 14}">${times.length} polls, ${(lateMs / 1_000).toFixed(1)} s late</text>
<line x1="${LEFT}" y1="${y}" x2="${x(SECONDS * 1_000)}" y2="${y}" class="axis"/>
${dots}`
}

function picture(): string {
  const everyHalfSecond = Array.from({ length: (JOB_MS + 500) / 500 }, (_, index) => (index + 1) * 500)
  const rows = [
    row('fixed timer, 500 ms', 0, everyHalfSecond.slice(0, JOB_MS / 500)),
    row('first job of a model', 1, polls({})),
    row('model known', 2, polls({ expected: EXPECTED })),
    row('webhook that was lost', 3, polls({ hasWebhook: true })),
  ]
  const height = 60 + 4 * ROW
  const seconds = [0, 10, 20, 30, 40]
  const marks = seconds.map((s) => `<text x="${x(s * 1_000)}" y="${height - 8}" text-anchor="middle">${s} s</text>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 ${height}" font-family="sans-serif" font-size="12">
<title>When a job of 41 s is polled</title>
<style>.title{font-weight:bold}.axis{stroke:#bbb}circle{fill:#2563eb}text{fill:#444}</style>
<rect width="820" height="${height}" fill="#fff"/>
<rect x="${x(EXPECTED.earliestMs)}" y="24" width="${x(EXPECTED.latestMs) - x(EXPECTED.earliestMs)}" height="${height - 50}" fill="#dbeafe"/>
<text x="${x(40_000)}" y="18" text-anchor="middle">expected end: 36 to 44 s</text>
<line x1="${x(JOB_MS)}" y1="24" x2="${x(JOB_MS)}" y2="${height - 26}" stroke="#dc2626" stroke-dasharray="4 3"/>
${rows.join('\n')}
${marks.join('\n')}
</svg>
`
}

test('the picture of the guide shows the real poll intervals (npx vitest run packages/sdk/src/client/jobs/polling -u draws it)', async () => {
  await expect(picture()).toMatchFileSnapshot(PICTURE)
})
