import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDashboard } from '@modelrun/dashboard'
import { createReferenceServer, type ReferenceServer, type ReferenceServerOptions } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe } from 'vitest'
import { isMissing, launch, note } from '../browser/chromium.ts'

/** A browser, and the page of the dashboard as its sources are now. */
interface Kit {
  browser: Browser
  /** A server that listens and has the dashboard; it ends with the kit. Port 0 is a free one. */
  serve(options?: ReferenceServerOptions, port?: number): Promise<Served>
  close(): Promise<void>
}

export interface Served {
  server: ReferenceServer
  url: string
  /** Opens a screen, and waits until it shows the state of the server. */
  open(hash?: string, context?: BrowserContextOptions): Promise<Page>
  /** Ends the server before the kit does. */
  stop(): Promise<void>
}

export async function openKit(): Promise<Kit> {
  const folder = await buildPage()
  const browser = await launch()
  const ends: (() => Promise<void>)[] = []
  return {
    browser,
    serve: async (options, port = 0) => {
      const server = createReferenceServer(options)
      const { url, close } = await listen(server, { port, dashboard: await createDashboard({ folder }) })
      const stop = async () => {
        await close()
        await server.close()
      }
      ends.push(stop)
      const open = async (hash = '', context: BrowserContextOptions = {}) => {
        const page = await browser.newPage({ viewport: { width: 1_280, height: 800 }, ...context })
        await page.goto(`${url}/_dashboard/${hash}`)
        await page.locator('.dot.live').waitFor()
        return page
      }
      return { server, url, open, stop }
    },
    close: async () => {
      await browser.close()
      for (const end of ends) await end()
      await rm(folder, { recursive: true })
    },
  }
}

/** Builds the page as a release does, into a folder of its own: test files run side by side. */
async function buildPage(): Promise<string> {
  const root = fileURLToPath(new URL('../../../dashboard', import.meta.url))
  const outDir = await mkdtemp(join(tmpdir(), 'modelrun-dashboard-'))
  const configFile = join(root, 'vite.config.ts')
  await build({ root: join(root, 'src/page'), configFile, logLevel: 'error', build: { outDir } })
  return outDir
}

/** Leads a page to a screen, and waits until that shows something. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((target) => {
    location.hash = target
  }, hash)
  await page.locator('main h1, main .empty').first().waitFor()
  await page.waitForFunction(() => document.querySelector('.loading') === null)
}

/** Describes the dashboard in a browser. `tests` gets the kit of its file, which is open while they run. */
export function describeDashboard(title: string, tests: (kit: Pick<Kit, 'browser' | 'serve'>) => void): void {
  describe.skipIf(isMissing)(`${title}${note}`, () => {
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
