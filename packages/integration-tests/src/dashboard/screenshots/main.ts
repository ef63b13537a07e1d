// `npm run screenshots`: draws the image and the video of the dashboard in docs/images. The same sources give the same ones.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openKit } from '../kit.ts'
import { drawFilm } from './film.ts'
import { playScene } from './scene.ts'

const folder = fileURLToPath(new URL('../../../../../docs/images/', import.meta.url))

const kit = await openKit()
try {
  // The port is in the image.
  const served = await kit.serve({ clock: 'manual', seed: 7 }, 4010)
  const jobId = await playScene(served)
  const page = await served.open(`#/jobs/${jobId}`, {
    // The diagram is shown whole.
    viewport: { width: 1_280, height: 1_080 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  await page.locator('.output img').waitFor()
  await page.getByRole('button', { name: /fault reset/ }).focus()
  await page.screenshot({ path: `${folder}dashboard-job-wide-light.png` })
  const { open } = await kit.serve({ clock: 'manual', seed: 7 })
  const empty = await open('', { viewport: { width: 1_440, height: 900 }, colorScheme: 'light' })
  await writeFile(`${folder}lost-response.svg`, await drawFilm(empty))
} finally {
  await kit.close()
}
