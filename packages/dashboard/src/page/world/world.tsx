import { useEffect } from 'preact/hooks'
import { happened } from '../data/store.ts'
import { loadWorld } from '../data/world.ts'
import { attempt } from '../ui/toast.tsx'
import { ClockCard } from './clock-card.tsx'
import { FaultCard } from './fault-card.tsx'
import { ForkCard } from './fork-card.tsx'
import { KeyCard } from './key-card.tsx'
import { SnapshotCard } from './snapshot-card.tsx'

/** Credits and counters of faults are read again at most this often. */
const RELOAD_MS = 500

export function World() {
  useEffect(() => {
    let timer = 0
    const load = () => {
      timer = 0
      return attempt(loadWorld)
    }
    const stop = happened.subscribe(() => {
      if (timer === 0) timer = window.setTimeout(load, RELOAD_MS)
    })
    void load()
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [])
  return (
    <section aria-label="World">
      <div class="toolbar">
        <h1>World</h1>
      </div>
      <div class="worldgrid">
        <div class="side">
          <ClockCard />
          <KeyCard />
        </div>
        <div class="side">
          <FaultCard />
          <SnapshotCard />
          <ForkCard />
        </div>
      </div>
    </section>
  )
}
