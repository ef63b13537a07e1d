// `npm run screenshots`: draws the pictures and the film of the dashboard in docs/images. The same sources give the same pictures.
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openKit } from '../kit.ts'
import { drawFilm } from './film.ts'
import { playScene } from './scene.ts'
import { JOB_HEIGHT, MAX_BYTES, SIZES } from './sizes.ts'

const folder = fileURLToPath(new URL('../../../../../docs/images/', import.meta.url))

const kit = await openKit()
try {
  await mkdir(folder, { recursive: true })
  // The port is in the pictures.
  const served = await kit.serve({ clock: 'manual', seed: 7 }, 4010)
  const jobId = await playScene(served)
  const screens = {
    job: `#/jobs/${jobId}`,
    activity: '#/activity',
    models: '#/models',
    model: '#/models/inkfield%2Fposter-2',
    controls: '#/controls',
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const { name: size, viewport } of SIZES) {
      for (const [screen, hash] of Object.entries(screens)) {
        if (screen !== 'job' && (size === 'wide') !== (colorScheme === 'light')) continue
        const height = screen === 'job' && size === 'wide' ? JOB_HEIGHT : viewport.height
        const page = await served.open(hash, {
          viewport: { ...viewport, height },
          colorScheme,
          reducedMotion: 'reduce',
        })
        if (screen === 'job') {
          await page.locator('.output img').waitFor()
          await page.getByRole('button', { name: /fault reset/ }).focus()
        }
        if (screen === 'model') await page.getByText('Async', { exact: true }).waitFor()
        await page.waitForFunction(() => document.querySelector('.loading') === null)
        const path = `${folder}dashboard-${screen}-${size}-${colorScheme}.png`
        await page.screenshot({ path })
        await page.close()
        const { size: bytes } = await stat(path)
        console.log(`${path.slice(folder.length)}: ${bytes} bytes`)
        if (bytes > MAX_BYTES) process.exitCode = 1
      }
    }
  }
  const { open } = await kit.serve({ clock: 'manual', seed: 7 })
  const page = await open('', { viewport: { width: 1_440, height: 900 }, colorScheme: 'light' })
  await writeFile(`${folder}lost-response.svg`, await drawFilm(page))
} finally {
  await kit.close()
}
