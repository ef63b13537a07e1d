import { readFile } from 'node:fs/promises'
import type { InboxMetricName } from 'modelrun/webhooks'
import { expect, it } from 'vitest'

const guide = await readFile(new URL('../../../docs/guides/webhooks.md', import.meta.url), 'utf8')

it('explains every metric', () => {
  const metrics: Record<InboxMetricName, true> = {
    accepted: true,
    rejected: true,
    completed: true,
    failed: true,
    retaken: true,
    reconciled: true,
    dead: true,
    ack_ms: true,
  }
  const [, section = ''] = guide.split('## Metrics\n')
  for (const name of Object.keys(metrics)) expect(section).toMatch(new RegExp(`^\\| .*\`${name}\`.* \\|`, 'm'))
})
