import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

/** Everything that a client gets, without what is different each time. */
async function seenWith(server: ReferenceServer, key: string, path = '/v1/models'): Promise<string> {
  const { status, headers, text } = await apiCaller(server, key).get(path)
  const shown = [...headers].filter(([name]) => name !== 'x-request-id')
  return JSON.stringify({ status, headers: shown, text })
}

/** A wrong key of the right length whose first characters are right. */
function guess(key: string, rightCharacters: number): string {
  const wrong = [...key.slice(rightCharacters)].map((letter) => (letter === 'z' ? 'y' : 'z')).join('')
  return key.slice(0, rightCharacters) + wrong
}

const PREFIX = 'sk_test_'.length

describe('a client that guesses keys', () => {
  it.each(['in process', 'beyond loopback'])('sees the same however many characters are right, %s', async (where) => {
    const server = createReferenceServer()
    if (where === 'beyond loopback') server.transport.set({ sendGuarded: async () => new Response() })
    const { key } = server.createKey()
    const whole = new Set<string>()
    const responses = new Set<string>()
    for (let count = PREFIX; count < key.length; count++) {
      whole.add(await seenWith(server, guess(key, count)))
      responses.add(await seenWith(server, key.slice(0, count)))
    }
    expect([...whole]).toHaveLength(1)
    expect([...responses]).toHaveLength(1)
    expect(responses).toContain(await seenWith(server, 'sk_test_nothing'))
  })

  it('sees nothing of another key in any response', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const { key: other } = server.createKey()
    const { body } = await apiCaller(server, other).run('aurora-image', { sync: false })
    const rotated = server.rotateKey(other).key
    const seen = [
      await seenWith(server, server.apiKey, `/v1/jobs/${String(body.job_id)}`),
      await seenWith(server, other),
      await seenWith(server, `"${rotated}"`),
      await seenWith(server, `${rotated}x`),
      await seenWith(server, server.apiKey, `/files/${String(body.job_id)}/0.png`),
    ].join()
    for (const key of [other, rotated]) expect(seen).not.toContain(key.slice(PREFIX, PREFIX + 4))
  })
})
