import { signal } from '@preact/signals'
import { post } from '../data/control.ts'
import { ofKey } from '../data/world.ts'
import { type DeliveryPlan, record } from '../record/record.ts'
import { attempt, say } from '../ui/toast.tsx'

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

const chosen = signal('once')

/** How results of new runs are delivered from now on. */
export function DeliveryPlanForm() {
  const { text } = PLANS.find(({ id }) => id === chosen.value) ?? { text: '' }
  const choose = (id: string, plan: DeliveryPlan) =>
    attempt(async () => {
      await post('webhooks', { ...plan, ...ofKey() })
      record({ kind: 'webhooks', plan, ...ofKey() })
      chosen.value = id
      say('Results of new runs are delivered so from now on.')
    })
  return (
    <fieldset class="card plan">
      <legend>New results are delivered</legend>
      <div class="chips">
        {PLANS.map(({ id, label, plan }) => (
          <label key={id}>
            <input type="radio" name="plan" checked={chosen.value === id} onChange={() => choose(id, plan)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
      <p class="muted small">{text}</p>
    </fieldset>
  )
}
