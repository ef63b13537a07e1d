import { ClockCard } from './clock-card.tsx'
import { FaultCard } from './fault-card.tsx'
import { ForkCard } from './fork-card.tsx'
import { KeyCard } from './key-card.tsx'
import { PlanCard } from './plan-card.tsx'
import { ResetCard, SnapshotCard } from './snapshot-card.tsx'

/** Everything that bends the service: time, faults, deliveries, keys, state. */
export function Controls() {
  return (
    <section aria-label="Controls">
      <div class="toolbar">
        <h1>Controls</h1>
      </div>
      <div class="controlgrid">
        <div class="side">
          <ClockCard />
          <KeyCard />
          <SnapshotCard />
        </div>
        <div class="side">
          <FaultCard />
          <PlanCard />
          <ForkCard />
          <ResetCard />
        </div>
      </div>
    </section>
  )
}
