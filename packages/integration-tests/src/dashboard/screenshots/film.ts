import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

const SECONDS = 20

/** Pixels around the diagram. */
const EDGE = 20
const style = new URL('../../../../dashboard/src/page/style/', import.meta.url)

/** What happens, for each step of the film; the last one stays for the rest. */
const CAPTIONS = [
  'A run is sent. The connection breaks after the service has accepted it.',
  'The service made the job all the same: 4 credits are reserved.',
  'The client got no response. Was it charged? It cannot know.',
  'The job succeeds, and is charged.',
  'The webhook brings the result. A second run would have paid twice.',
]

interface Drawing {
  svg: string
  width: number
  height: number
  /** Where each mark ends, from the top. */
  bottoms: number[]
}

/** Plays "Show me a lost response" and draws its diagram step by step, as an animated SVG. */
export async function drawFilm(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Show me a lost response' }).click()
  await page.getByRole('button', { name: /^POST webhook/ }).waitFor()
  await page.mouse.move(0, 0)
  const drawing = await page.locator('.diagram svg').evaluate(drawingOf)
  const css = await Promise.all(['tokens.css', 'diagram.css'].map((name) => readFile(new URL(name, style), 'utf8')))
  return filmOf(drawing, css.join('\n'))
}

/** Runs in the page. */
function drawingOf(svg: Element): Drawing {
  const copy = svg.cloneNode(true) as Element
  for (const hidden of copy.querySelectorAll('.spoken, .area')) hidden.remove()
  for (const mark of copy.querySelectorAll('.mark')) {
    for (const name of ['role', 'tabindex', 'aria-pressed']) mark.removeAttribute(name)
  }
  const bottoms = [...svg.querySelectorAll<SVGGElement>('.mark')].map((mark) => {
    const { y, height } = mark.getBBox()
    return Math.ceil(y + height + 4)
  })
  const { clientWidth: width, clientHeight: height } = svg
  return { svg: copy.innerHTML, width, height, bottoms }
}

function filmOf({ svg, width, height, bottoms }: Drawing, css: string): string {
  const steps = [...bottoms.slice(0, -1), height]
  const stepS = SECONDS / (steps.length + 1)
  const times = steps.map((_, index) => ((index * stepS) / SECONDS).toFixed(3))
  const timing = `dur="${SECONDS}s" repeatCount="indefinite" calcMode="discrete"`
  const captions = CAPTIONS.map((caption, index) => {
    const shown = steps.map((_, step) => (Math.min(step, CAPTIONS.length - 1) === index ? 1 : 0)).join(';')
    const animation = `<animate attributeName="opacity" values="${shown}" keyTimes="${times.join(';')}" ${timing}/>`
    return `<text x="${width / 2}" y="${height + 26}" text-anchor="middle" class="caption" opacity="0">${caption}${animation}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="diagram" viewBox="${-EDGE} ${-EDGE} ${width + 2 * EDGE} ${height + 60}" width="${width + 2 * EDGE}" height="${height + 60}" role="img" aria-label="A lost response, step by step">`,
    `<style>${css.replaceAll(/\s+/g, ' ')} text { font-family: system-ui, sans-serif } .diagram .caption { font-size: 14px; font-weight: 600 }</style>`,
    `<rect x="${-EDGE}" y="${-EDGE}" width="100%" height="100%" rx="12" fill="var(--card)"/>`,
    `<clipPath id="past"><rect width="${width}" height="${height}"><animate attributeName="height" values="${steps.join(';')}" keyTimes="${times.join(';')}" ${timing}/></rect></clipPath>`,
    `<g clip-path="url(#past)">${svg}</g>`,
    ...captions,
    '</svg>\n',
  ].join('\n')
}
