import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { timeNow } from '../data/clock.ts'
import { findJob, jobsVersion } from '../data/store.ts'
import { count } from '../text/format.ts'
import { Code } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icon.tsx'
import { clearRecord, recorded } from './record.ts'
import { testLines } from './test-lines.ts'

/** What was done on the page as a test, to copy. */
export function TestButton() {
  const isOpen = useSignal(false)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen.value])
  const number = recorded.value.length
  const close = () => {
    isOpen.value = false
  }
  return (
    <>
      <button
        type="button"
        class="button small"
        disabled={number === 0}
        title={number === 0 ? 'Run a model or change the world first' : undefined}
        onClick={() => {
          isOpen.value = true
        }}
      >
        <Icon name="test" />
        <span class="label">Copy as test</span>
        {number > 0 && <span class="counter">{number}</span>}
      </button>
      <dialog ref={dialog} onClose={close} aria-label="Copy as test">
        {isOpen.value && <TestCode close={close} />}
      </dialog>
    </>
  )
}

function TestCode({ close }: { close: () => void }) {
  jobsVersion.value
  const text = testLines({ actions: recorded.value, jobOf: findJob, nowMs: timeNow() })
  return (
    <>
      <div class="cardhead">
        <h2>What you did, as a test for vitest</h2>
        <button type="button" class="button small" onClick={close} aria-label="Close">
          <Icon name="close" />
        </button>
      </div>
      <p class="muted">
        {count(recorded.value.length, 'action')}, at the times at which you did them. The clock of the test stands still
        in between, so the speed of yours does not matter.
      </p>
      <Code text={text} label="Test" />
      <div class="buttons">
        <CopyButton label="Copy the test" text={() => text} />
        <button
          type="button"
          class="button small"
          onClick={() => {
            clearRecord()
            close()
          }}
        >
          Forget all actions
        </button>
      </div>
    </>
  )
}
