import { defineConfig } from '@playwright/test'

// With `BROWSER`, the browser of the machine; without it, the one of `npx playwright install chromium`.
const executablePath = process.env.BROWSER

export default defineConfig({
  testMatch: '*.playwright.mjs',
  use: { launchOptions: executablePath ? { executablePath, args: ['--no-sandbox'] } : {} },
})
