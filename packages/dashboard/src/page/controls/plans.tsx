import { post } from '../data/control.ts'
import { currentKey, ofKey } from '../data/keys.ts'
import type { DeliveryPlan } from '../data/wire.ts'
import { formatDuration } from '../text/format.ts'
import { Segments } from '../ui/fields.tsx'
import { Card } from '../ui/parts.tsx'
import { attempt } from '../ui/toast.tsx'

const PLANS: Readonly<Record<string, DeliveryPlan>> = {
  Once: {},
  Twice: { deliveries: 2, gap_ms: 500 },
  '5 s late': { delay_ms: 5_000 },
  Lost: { deliveries: 0 },
}

const PLAN_NAMES = Object.fromEntries(Object.keys(PLANS).map((name) => [name, name]))

export function planText(plan: DeliveryPlan): string {
  const { deliveries, delay_ms, gap_ms } = plan
  const parts = [
    deliveries === 0 ? 'lost' : deliveries !== undefined && `delivered ${deliveries} times`,
    gap_ms && `${formatDuration(gap_ms)} apart`,
    delay_ms && `${formatDuration(delay_ms)} late`,
  ]
  return parts.filter(Boolean).join(', ') || 'delivered once, at once'
}

/** How results of new runs are delivered from now on. */
export function PlanCard() {
  const plan = currentKey.value?.webhook ?? {}
  return (
    <Card title="How new results are delivered">
      <Segments
        label="Plan"
        options={PLAN_NAMES}
        value={Object.keys(PLANS).find((name) => JSON.stringify(PLANS[name]) === JSON.stringify(plan))}
        set={(name) => attempt(() => post('webhooks', { ...PLANS[name], ...ofKey() }))}
      />
    </Card>
  )
}
