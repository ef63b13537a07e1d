import { fileURLToPath } from 'node:url'
import type { ScriptedOutcome } from '@modelrun/reference-server'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { bundleScript } from '../browser/bundle-script.ts'
import { launch } from '../browser/chromium.ts'
import { readGuides } from '../guide-programs.ts'
import { type App, openApp } from '../proxy/browser/app.ts'

/** The text of every image. */
export const TEXT = 'a lighthouse'

/** A run that succeeds before its second poll. */
export const SOON: ScriptedOutcome = { result: 'succeeded', after_ms: 300 }

/** A page of a user, and the service behind it. */
export interface OpenedPage extends App {
  page: Page
  context: BrowserContext
  /** What the service has received and charged. */
  counts(): { posts: number; credits: number }
}

/** A browser for the tests of a file. The function opens a page of an app of its own. */
export function openBrowser(): (outcomes?: readonly ScriptedOutcome[], pageScript?: string) => Promise<OpenedPage> {
  let browser: Awaited<ReturnType<typeof launch>>
  let script: string
  beforeAll(async () => {
    script = await bundleScript({ entryPoints: [fileURLToPath(new URL('page.tsx', import.meta.url))] })
    browser = await launch()
  })
  afterAll(() => browser?.close())
  return async (outcomes = [SOON], pageScript = script) => {
    const app = await openApp(new Map([['/page.js', pageScript]]), { clock: 'system', onError: () => {} })
    app.server.script('aurora-image', outcomes)
    const context = await browser.newContext()
    onTestFinished(app.close)
    onTestFinished(() => context.close())
    const page = await openPage(context, app.site.origin)
    return { ...app, page, context, counts: () => countsOf(app) }
  }
}

export async function scriptOfGuide(): Promise<string> {
  const [, component = ''] = /```jsx\n(.*?)```/s.exec(await readGuides('react.md')) ?? []
  const show = `import { createRoot } from 'react-dom/client'
    createRoot(document.body.appendChild(document.createElement('div'))).render(<Draw />)`
  const resolveDir = fileURLToPath(new URL('.', import.meta.url))
  return await bundleScript({
    stdin: { contents: `${component}\n${show}`, loader: 'jsx', resolveDir },
    jsx: 'automatic',
  })
}

export async function openPage(context: BrowserContext, origin: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(origin)
  await page.getByLabel('prompt').waitFor()
  return page
}

export async function draw(page: Page, text = TEXT): Promise<void> {
  await page.getByLabel('prompt').fill(text)
  await page.getByRole('button', { name: 'Draw' }).click()
}

export async function shows(page: Page, status: string): Promise<void> {
  await expect.poll(() => page.locator('#status').textContent()).toBe(status)
}

type Requests = ReturnType<App['server']['journal']['entries']>

const isRun = (entry: Requests[number]) => 'route' in entry && entry.route === 'runModel'

/** The ids of the jobs that the service has accepted. */
export function jobsOf(server: App['server']): string[] {
  return [
    ...new Set(server.journal.entries({ kind: 'job' }).map((entry) => ('job_id' in entry ? String(entry.job_id) : ''))),
  ]
}

function countsOf({ server }: App) {
  const posts = server.journal.entries({ kind: 'request' }).filter(isRun).length
  return { posts, credits: 1_000 - server.credits() }
}
