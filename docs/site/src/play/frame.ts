import type { Life } from '@modelrun/dashboard/diagram'
import type { Switch } from './switches.ts'

const TIME_LIMIT_MS = 10_000

export interface Outcome {
  /** Why the program ended before its end. */
  error?: string | undefined
  lives: Life[]
  files: Blob[]
}

interface Program {
  /** JavaScript. */
  code: string
  switches: readonly Switch[]
  onLine: (text: string) => void
}

let runtime: Promise<string> | undefined

/** Runs a program in a frame without origin and network, which is gone afterwards. */
export async function runInFrame({ code, switches, onLine }: Program): Promise<Outcome> {
  runtime ??= fetch('/play/runtime.js').then((response) => response.text())
  const text = await runtime
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.title = 'A program that runs'
  frame.hidden = true
  frame.src = '/play/frame.html'
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const stop = new AbortController()
  const read = ({ data, source }: MessageEvent) => {
    if (source !== frame.contentWindow) return
    if (data.type === 'ready') frame.contentWindow?.postMessage({ runtime: text, code, switches }, '*')
    if (data.type === 'line') onLine(String(data.text))
    if (data.type === 'done') resolve(data)
  }
  addEventListener('message', read, { signal: stop.signal })
  const error = `The program did not end within ${TIME_LIMIT_MS / 1_000} s, and was stopped.`
  const timer = setTimeout(() => resolve({ error, lives: [], files: [] }), TIME_LIMIT_MS)
  document.body.append(frame)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    stop.abort()
    frame.remove()
  }
}
