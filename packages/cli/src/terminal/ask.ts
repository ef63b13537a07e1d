import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { InterruptedError } from '../errors.ts'
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
  const reader = createInterface({ input: process.stdin, output, terminal: true })
  try {
    const ended = new Promise<string>((resolve, reject) => {
      reader.once('SIGINT', () => reject(new InterruptedError('interrupted. Nothing was sent.')))
      reader.once('close', () => resolve(''))
    })
    const response = reader.question(cleanText(question))
    isMuted = isHidden
    return (await Promise.race([response, ended])).trim()
  } finally {
    reader.close()
    process.stderr.write(isHidden ? '\n' : '')
  }
}
