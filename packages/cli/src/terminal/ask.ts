import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { InterruptedError } from '../errors.ts'
import { SIGNALS } from '../run/interruption.ts'
import { cleanText } from './text.ts'

/**
 * Asks a person on standard error. The end of the input is an empty response.
 *
 * @param isHidden whether the response is not shown while it is typed
 * @throws InterruptedError at Ctrl-C
 */
export async function ask(question: string, { isHidden = false } = {}): Promise<string> {
  let isMuted = false
  const output = new Writable({
    write(chunk, _, done) {
      if (!isMuted) process.stderr.write(chunk)
      done()
    },
  })
  let onSignal = () => {}
  const reader = createInterface({ input: process.stdin, output, terminal: true })
  try {
    const ended = new Promise<string>((resolve, reject) => {
      onSignal = () => reject(new InterruptedError('interrupted. Nothing was sent.'))
      reader.once('SIGINT', onSignal).once('close', () => resolve(''))
      for (const name of SIGNALS) process.once(name, onSignal)
    })
    const response = reader.question(cleanText(question))
    isMuted = isHidden
    return (await Promise.race([response, ended])).trim()
  } finally {
    reader.close()
    for (const name of SIGNALS) process.off(name, onSignal)
    process.stderr.write(isHidden ? '\n' : '')
  }
}
