import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { timeNow } from '../data/clock.ts'
import { read } from '../data/control.ts'
import { keys } from '../data/keys.ts'
import { findJob } from '../data/store.ts'
import type { Action, Life } from '../data/wire.ts'
import { Button, CopyButton } from '../ui/button.tsx'
import { Code } from '../ui/code.tsx'
import { actionsOfJob } from './actions-of-job.ts'
import { testLines } from './test-lines.ts'

/** What was done to the server, by an app, a test or this page, as a test to copy; of one job or all of it. */
export function MakeTest({ life }: { life?: Life }) {
  const text = useSignal('')
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (text.value !== '') dialog.current?.showModal()
  }, [text.value])
  const open = async () => {
    const { actions } = await read<{ actions: Action[] }>('actions')
    const meant = life === undefined ? actions : actionsOfJob(actions, life)
    const isFirst = (key: string | undefined) => key === undefined || key === keys.value[0]?.key
    text.value = testLines({ actions: meant, jobOf: findJob, nowMs: timeNow(), isFirst })
  }
  const forget = () => {
    text.value = ''
  }
  return (
    <>
      <Button icon="test" act={open}>
        {life === undefined ? 'Make a test of it all' : 'Make a test of this job'}
      </Button>
      <dialog ref={dialog} aria-label="A test for vitest" onClose={forget}>
        {text.value !== '' && (
          <>
            <div class="cardhead">
              <h2>What happened, as a test for vitest</h2>
              <Button kind="small" icon="close" aria-label="Close" act={() => dialog.current?.close()} />
            </div>
            <p class="muted">
              It does the same at the same times. Its clock is paused in between, so the speed of yours does not matter.
            </p>
            <Code text={text.value} label="Test" />
            <CopyButton label="Copy the test" text={() => text.value} />
          </>
        )}
      </dialog>
    </>
  )
}
