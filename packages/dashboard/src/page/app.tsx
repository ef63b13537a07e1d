import { useEffect, useRef } from 'preact/hooks'
import { Activity } from './activity/activity.tsx'
import { Controls } from './controls/controls.tsx'
import { Strip } from './controls/strip.tsx'
import { ClockBar } from './controls/time.tsx'
import { needsToken } from './data/control.ts'
import { connection, reloads } from './data/store.ts'
import logo from './icon.svg'
import { JobPage } from './jobs/job-page.tsx'
import { ModelList } from './models/model-list.tsx'
import { ModelPage } from './models/model-page.tsx'
import { linkTo, route, SCREENS } from './route.ts'
import { capitalized } from './text/format.ts'
import { TokenForm } from './token-form.tsx'
import { Button } from './ui/button.tsx'
import { Icon } from './ui/icon.tsx'
import { Loading } from './ui/parts.tsx'
import { Toast } from './ui/toast.tsx'

export function App() {
  useScreenChange()
  if (needsToken.value) return <TokenForm />
  const { screen } = route.value
  return (
    <>
      <Button kind="skip" act={focusHeading}>
        Skip to the content
      </Button>
      <header class="top">
        <a class="brand" href={linkTo('activity')}>
          <img class="logo" src={logo} alt="" />
          <span>
            modelrun <span class="muted">reference server</span>
          </span>
        </a>
        <ClockBar />
        <Strip />
      </header>
      <nav class="screens" aria-label="Screens">
        {SCREENS.map((one) => (
          <a
            key={one}
            href={linkTo(one)}
            aria-current={one === (screen === 'jobs' ? 'activity' : screen) ? 'page' : undefined}
          >
            <Icon name={one} />
            <span>{capitalized(one)}</span>
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

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1')
  heading?.setAttribute('tabindex', '-1')
  heading?.focus()
}

/** Each screen has a title of its own, and starts at its heading: tabs, history and screen readers distinguish them. */
function useScreenChange(): void {
  const { screen, id } = route.value
  const isFirst = useRef(true)
  useEffect(() => {
    const what = [screen === 'jobs' ? 'Job' : capitalized(screen), id]
    document.title = `${what.filter(Boolean).join(' ')} · modelrun reference server`
  }, [screen, id])
  useEffect(() => {
    if (!isFirst.current) focusHeading()
    isFirst.current = false
  }, [screen, id])
}

function Content() {
  const { screen, id } = route.value
  if (connection.value === 'connecting' || reloads.value === 0) return <Loading what="the state of the server" />
  if (screen === 'activity') return <Activity />
  if (screen === 'controls') return <Controls />
  if (screen === 'jobs') return <JobPage key={id} id={id ?? ''} />
  return id === undefined ? <ModelList /> : <ModelPage id={id} />
}
