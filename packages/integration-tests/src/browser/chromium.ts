import { readFile } from 'node:fs/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findProgram, needs } from '../services/programs.ts'
import { requireProgram } from '../services/service-process.ts'

/** Whichever of the two there is. */
const program = findProgram('chromium') === undefined && findProgram('google-chrome') ? 'google-chrome' : 'chromium'

/** Whether the tests are left out, and how to say so. */
export const { isMissing, note } = needs(program)

/** Without a sandbox, because that needs rights which containers do not give. */
export function launch(...args: string[]): Promise<Browser> {
  return chromium.launch({ executablePath: requireProgram(program), args: ['--no-sandbox', ...args] })
}

/** What axe finds on a page, a line for each problem. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8'))
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }
    const { violations: found } = await axe.run()
    return found.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    )
  })
}

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}
