import { type Fork, forkOf, forks, openFork, stopFork } from '../data/forks.ts'
import { hostOf } from '../text/format.ts'
import { Icon } from '../ui/icon.tsx'
import { attempt, say } from '../ui/toast.tsx'

/** Other servers that continue from the state of this one. */
export function ForkCard() {
  return (
    <section class="card" aria-label="Forks">
      <h2>Forks</h2>
      <p class="muted small">
        A fork is a second server that continues from this state, with time, faults and jobs of its own. Webhooks of its
        jobs go to the same receivers. It ends with this server.
      </p>
      {forkOf.value !== undefined && <p class="small">This server is a fork of {hostOf(forkOf.value)}.</p>}
      <div class="buttons">
        <button type="button" class="button" onClick={fork}>
          <Icon name="fork" />
          Fork into a new tab
        </button>
      </div>
      <ul class="plain">
        {forks.value.map((one) => (
          <ForkRow key={one.id} fork={one} />
        ))}
      </ul>
    </section>
  )
}

function ForkRow({ fork: one }: { fork: Fork }) {
  return (
    <li>
      <a class="mono" href={one.dashboard_url ?? one.url} target="_blank" rel="noopener">
        {hostOf(one.url)}
      </a>
      <button
        type="button"
        class="button small danger"
        aria-label={`Stop the fork ${hostOf(one.url)}`}
        onClick={() => attempt(() => stopFork(one))}
      >
        Stop
      </button>
    </li>
  )
}

function fork(): Promise<void> {
  return attempt(async () => {
    const { url, dashboard_url = url } = await openFork()
    window.open(dashboard_url, '_blank', 'noopener')
    say(`The fork is at ${hostOf(url)}.`)
  })
}
