/** @jsxImportSource react */
'use client'

import { useRun } from 'modelrun/react'
import type { FormEvent } from 'react'

/** A run that survives a reload. The key stays behind the proxy. */
export default function Draw() {
  const { run, cancel, status, result, error } = useRun('aurora-image')
  const isRunning = status === 'running'
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
      <p role="status">{error ? 'It failed.' : status}</p>
      {result && <img src={result.output.items[0]?.url} alt="What the prompt describes" />}
    </main>
  )
}
