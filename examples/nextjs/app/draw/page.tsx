/** @jsxImportSource react */
'use client'

import { type RunState, useRun } from 'modelrun/react'
import type { FormEvent } from 'react'

/** What the page says. The messages of errors are for developers. */
function describe({ status, progress, error }: RunState): string {
  if (status === 'idle') return ''
  if (status === 'running') return progress.status
  if (status === 'unknown')
    return 'The connection broke. The image may still be made, and paid for: check before you draw it again.'
  if (status !== 'failed') return status
  const httpStatus = 'status' in error ? error.status : undefined
  if (httpStatus === 401) return 'Sign in first: document.cookie = "user=anna" in the console of the browser.'
  if (httpStatus === 402) return 'Your credits are spent. Nothing was charged.'
  return 'The image could not be made. Nothing was charged.'
}

/** A run that survives a reload. The key stays behind the proxy. */
export default function Draw() {
  const { run, cancel, ...state } = useRun('aurora-image')
  const isRunning = state.status === 'running'
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    run({ prompt: String(new FormData(event.currentTarget).get('prompt')) })
  }
  return (
    <main>
      <form onSubmit={submit}>
        <textarea name="prompt" aria-label="prompt" required />
        <button type="submit" disabled={isRunning}>
          Draw
        </button>
      </form>
      {isRunning && (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      )}
      <p role="status">{describe(state)}</p>
      {state.result && <img src={state.result.output.items[0]?.url} alt="What the prompt describes" />}
    </main>
  )
}
