import { useEffect } from 'preact/hooks'
import { needsToken } from './data/control.ts'
import { forkOf } from './data/forks.ts'
import { connection, jobsVersion } from './data/store.ts'
import { DeliveryList } from './deliveries/delivery-list.tsx'
import { JobList } from './jobs/job-list.tsx'
import { JobPage } from './jobs/job-page.tsx'
import { ModelList } from './models/model-list.tsx'
import { ModelPage } from './models/model-page.tsx'
import { TestButton } from './record/test-dialog.tsx'
import { linkTo, route, SCREENS, type Screen } from './route.ts'
import { hostOf } from './text/format.ts'
import { ThemeButton } from './theme.tsx'
import { TokenForm } from './token-form.tsx'
import { Loading } from './ui/empty.tsx'
import { Icon } from './ui/icon.tsx'
import { Toast } from './ui/toast.tsx'
import { ClockBar } from './world/clock-bar.tsx'
import { World } from './world/world.tsx'

const NAMES: Readonly<Record<Screen, string>> = {
  models: 'Models',
  jobs: 'Jobs',
  deliveries: 'Deliveries',
  world: 'World',
}

/** Tabs of a server and of its forks look the same except for the name. */
function serverName(): string {
  return forkOf.value === undefined ? 'reference server' : `fork of ${hostOf(forkOf.value)}`
}

export function App() {
  const name = serverName()
  useEffect(() => {
    document.title = `modelrun ${name}`
  }, [name])
  if (needsToken.value) return <TokenForm />
  return (
    <>
      <header class="top">
        <a class="brand" href={linkTo('models')}>
          <Logo />
          <span>
            modelrun <span class="muted">{name}</span>
          </span>
        </a>
        <ClockBar />
        <div class="tools">
          <TestButton />
          <ThemeButton />
        </div>
      </header>
      <nav aria-label="Screens">
        {SCREENS.map((screen) => (
          <a key={screen} href={linkTo(screen)} aria-current={route.value.screen === screen ? 'page' : undefined}>
            <Icon name={screen} />
            <span>{NAMES[screen]}</span>
          </a>
        ))}
      </nav>
      <main>
        {connection.value === 'lost' && (
          <p class="banner" role="alert">
            The server is gone. The page asks again every second.
          </p>
        )}
        <Content />
      </main>
      <Toast />
    </>
  )
}

function Content() {
  const { screen, id } = route.value
  if (connection.value === 'connecting' && jobsVersion.value === 0) return <Loading what="the state of the server" />
  switch (screen) {
    case 'models':
      return id === undefined ? <ModelList /> : <ModelPage id={id} />
    case 'jobs':
      return id === undefined ? <JobList /> : <JobPage key={id} id={id} />
    case 'deliveries':
      return <DeliveryList />
    case 'world':
      return <World />
  }
}

function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path class="lanes" d="M8 7v18M16 7v18M24 7v18" />
      <path class="steps" d="M8 12h8m0 8h8" />
      <circle cx="16" cy="12" r="2.6" />
      <circle cx="24" cy="20" r="2.6" />
    </svg>
  )
}
