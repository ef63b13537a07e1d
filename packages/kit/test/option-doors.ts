import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../src/model-run-error.ts'

/** Calls that take options, by the place that their errors name. Each passes on what it is given, as JavaScript can. */
export type Doors = Readonly<Record<string, (options: object) => unknown>>

/** The message of the error for a wrong option. */
async function messageOf(call: () => unknown): Promise<string> {
  try {
    await call()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message
  }
  return expect.unreachable('the options were taken')
}

/** Tests that every option of every door is checked, and in one form of sentence. What follows a `#` distinguishes doors of one place. */
export function testDoors(doors: Doors): void {
  describe.each(Object.entries(doors))('options of %s', (door, call) => {
    const place = door.replace(/#.*/, '')

    it('are rejected when they are of another kind, and when there is no such option', async () => {
      const listed = await messageOf(() => call({ nothingLikeIt: 1 }))
      expect(listed).toContain(`\`nothingLikeIt\` of \`${place}\` is unknown (it takes `)
      const names = /\(it takes (.+)\)/.exec(listed)?.[1]?.split(', ') ?? []
      for (const name of names) {
        const message = await messageOf(() => call({ [name]: Symbol('wrong') }))
        expect(message).toContain(`\`${name}\` of \`${place}\` must be `)
        expect(message).toMatch(/\.$/)
        expect(await messageOf(() => call({ [`${name}x`]: 1 }))).toContain(`(did you mean \`${name}\`?).`)
      }
    })
  })
}
