import { post } from '../data/control.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/parts.tsx'
import { say } from '../ui/toast.tsx'
import { FaultCard } from './fault-card.tsx'
import { KeyCard } from './key-card.tsx'
import { PlanCard } from './plans.tsx'

/** Everything that shapes what the service does: faults, deliveries, keys. */
export function Controls() {
  return (
    <section aria-label="Controls">
      <div class="toolbar">
        <h1>Controls</h1>
      </div>
      <div class="split even">
        <div class="side">
          <KeyCard />
        </div>
        <div class="side">
          <FaultCard />
          <PlanCard />
          <ResetCard />
        </div>
      </div>
    </section>
  )
}

/** Apart from the rest, and only after a question: nothing brings it back. */
function ResetCard() {
  return (
    <Card title="Reset" text="Forgets jobs, charges, scripts, faults and deliveries.">
      <div class="buttons">
        <Button kind="danger" act={reset}>
          Reset everything
        </Button>
      </div>
    </Card>
  )
}

async function reset(): Promise<void> {
  if (!confirm('Forget all jobs, charges, scripts, faults and deliveries? Keys and time stay as they are.')) return
  await post('reset')
  say('Jobs, charges, scripts, faults and deliveries are gone. Keys and time are as they were.')
}
