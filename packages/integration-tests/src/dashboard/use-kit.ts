import { afterAll, beforeAll, describe } from 'vitest'
import { isMissing, type Kit, note, openKit } from './kit.ts'

/** Describes the dashboard in a browser. `tests` gets the kit of its file, which is open while they run. */
export function describeDashboard(title: string, tests: (kit: Pick<Kit, 'browser' | 'serve'>) => void): void {
  describe.skipIf(isMissing)(`${title}${note}`, { timeout: 120_000 }, () => {
    // Before any test. The port of the group that is skipped is never read.
    let kit!: Kit
    beforeAll(async () => {
      kit = await openKit()
    })
    afterAll(() => kit?.close())
    tests({
      get browser() {
        return kit.browser
      },
      serve: (...given) => kit.serve(...given),
    })
  })
}
