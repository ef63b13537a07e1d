import { post } from '../data/control.ts'
import { currentKey, ofKey } from '../data/keys.ts'
import type { DeliveryPlan } from '../data/wire.ts'
import { formatDuration } from '../text/format.ts'
import { attempt } from '../ui/toast.tsx'

const PLANS: readonly { id: string; label: string; text: string; plan: DeliveryPlan }[] = [
  { id: 'once', label: 'Once', text: 'Each result is delivered once, as soon as its job has ended.', plan: {} },
  {
    id: 'twice',
    label: 'Twice',
    text: 'Each result is delivered twice, half a second apart.',
    plan: { deliveries: 2, gap_ms: 500 },
  },
  { id: 'late', label: '5 s late', text: 'Each result waits for 5 s.', plan: { delay_ms: 5_000 } },
  {
    id: 'order',
    label: 'Out of order',
    text: 'Each result waits until another one was delivered.',
    plan: { when: 'after-next' },
  },
  {
    id: 'poll',
    label: 'After a poll',
    text: 'Each result waits until a poll has shown the end.',
    plan: { when: 'after-poll' },
  },
  { id: 'lost', label: 'Lost', text: 'No result is delivered: the client has to poll.', plan: { deliveries: 0 } },
  {
    id: 'failing',
    label: 'Receiver fails',
    text: 'The receiver responds with 500.',
    plan: { receiver: { response: 500 } },
  },
  {
    id: 'slow',
    label: 'Receiver is slow',
    text: 'The receiver takes 12 s, and the service waits for 10.',
    plan: { receiver: { after_ms: 12_000 } },
  },
]

/** A plan in a few words. */
export function planName(plan: DeliveryPlan): string {
  const { deliveries, delay_ms, gap_ms, when, receiver } = plan
  const parts = [
    deliveries === 0 ? 'lost' : deliveries !== undefined && `delivered ${deliveries} times`,
    gap_ms && `${formatDuration(gap_ms)} apart`,
    delay_ms && `${formatDuration(delay_ms)} late`,
    when === 'after-next' ? 'out of order' : when === 'after-poll' && 'after a poll',
    receiver?.response && `the receiver responds with ${receiver.response}`,
    receiver?.after_ms && `the receiver takes ${formatDuration(receiver.after_ms)}`,
  ]
  return parts.filter(Boolean).join(', ') || 'once'
}

function planOf(plan: DeliveryPlan) {
  return PLANS.find((one) => JSON.stringify(one.plan) === JSON.stringify(plan))
}

/** How results of new runs are delivered from now on. */
export function PlanCard() {
  const chosen = planOf(currentKey.value?.webhook ?? {})
  return (
    <fieldset class="card plan">
      <legend>How new results are delivered</legend>
      <div class="chips">
        {PLANS.map((one) => (
          <label key={one.id}>
            <input
              type="radio"
              name="plan"
              checked={one === chosen}
              onChange={() => attempt(() => post('webhooks', { ...one.plan, ...ofKey() }))}
            />
            <span>{one.label}</span>
          </label>
        ))}
      </div>
      <p class="muted small">{chosen?.text ?? `Results: ${planName(currentKey.value?.webhook ?? {})}.`}</p>
    </fieldset>
  )
}
