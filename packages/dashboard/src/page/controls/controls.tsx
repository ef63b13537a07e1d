import { FaultCard } from './fault-card.tsx'
import { KeyCard } from './key-card.tsx'
import { PlanCard } from './plans.tsx'
import { ResetCard, SnapshotCard } from './state.tsx'
import { TimeCard } from './time.tsx'

/** Everything that shapes what the service does: time, faults, deliveries, keys, state. */
export function Controls() {
  return (
    <section aria-label="Controls">
      <div class="toolbar">
        <h1>Controls</h1>
      </div>
      <div class="split even">
        <div class="side">
          <TimeCard />
          <KeyCard />
          <SnapshotCard />
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
