import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { timeNow } from '../data/clock.ts'
import { read } from '../data/control.ts'
import { keys } from '../data/keys.ts'
import { findJob } from '../data/store.ts'
import type { Action, Life } from '../data/wire.ts'
import { Code } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { attempt } from '../ui/toast.tsx'
import { actionsOfJob } from './actions-of-job.ts'
import { testLines } from './test-lines.ts'

/** What was done to the server, by an app, a test or this page, as a test to copy; of one job or all of it. */
export function MakeTest({ life }: { life?: Life }) {
  const text = useSignal<string | undefined>(undefined)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (text.value !== undefined) dialog.current?.showModal()
  }, [text.value])
  const open = () =>
    attempt(async () => {
      const { actions } = await read<{ actions: Action[] }>('actions')
      const meant = life === undefined ? actions : actionsOfJob(actions, life)
      const isFirst = (key: string | undefined) => key === undefined || key === keys.value[0]?.key
      text.value = testLines({ actions: meant, jobOf: findJob, nowMs: timeNow(), isFirst })
    })
  return (
    <>
      <button type="button" class="button" onClick={open}>
        <Icon name="test" />
        {life === undefined ? 'Make a test of it all' : 'Make a test of this job'}
      </button>
      <dialog
        ref={dialog}
        aria-label="A test for vitest"
        onClose={() => {
          text.value = undefined
        }}
      >
        {text.value !== undefined && <TestCode text={text.value} close={() => dialog.current?.close()} />}
      </dialog>
    </>
  )
}

function TestCode({ text, close }: { text: string; close: () => void }) {
  return (
    <>
      <div class="cardhead">
        <h2>What happened, as a test for vitest</h2>
        <button type="button" class="button small" onClick={close} aria-label="Close">
          <Icon name="close" />
        </button>
      </div>
      <p class="muted">
        It does the same at the same times. Its clock is paused in between, so the speed of yours does not matter.
      </p>
      <Code text={text} label="Test" />
      <div class="buttons">
        <CopyButton label="Copy the test" text={() => text} />
      </div>
    </>
  )
}
