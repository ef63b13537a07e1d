// Draws docs/images/terminal.svg: what the built command draws in a terminal, against the reference server.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'

const COLUMNS = 92
const ESCAPE = '\x1b'
/** A style of a terminal, such as bold. */
const STYLE = new RegExp(`(${ESCAPE}\\[\\d+m)`)
const [CHARACTER, LINE, SIZE] = [8.4, 20, 14]
const bin = fileURLToPath(new URL('../bin/modelrun.js', import.meta.url))
const picture = fileURLToPath(new URL('../../../docs/images/terminal.svg', import.meta.url))

const ANIMALS = ['fox', 'hare', 'crow', 'deer', 'owl', 'lynx', 'seal', 'wren', 'toad', 'moth', 'boar', 'swan']
const SCENES = [
  { args: ['models', '--category', 'text-to-image'] },
  { args: ['run', 'aurora-image', '--promt', "'a red fox'"] },
  { args: ['run', 'aurora-image', '--prompt', "'a red fox'", '--num-images', '2', '--out', 'pictures'] },
  // The bar as it is in the middle of the batch.
  {
    args: ['batch', 'aurora-image', '--inputs', 'prompts.jsonl', '--out', 'posters', '--max-credits', '60'],
    frame: /[56] of 12/,
  },
]

const folder = mkdtempSync(join(tmpdir(), 'modelrun-picture-'))
// Time passes as it does, so that the bar has a rate; the seed makes the ids the same each time.
const server = createReferenceServer({ clock: 'system', seed: 3, latency: 1_500 })
const { url, close } = await listen(server)
writeFileSync(join(folder, 'prompts.jsonl'), ANIMALS.map((animal) => `{"prompt":"a ${animal}"}`).join('\n'))

/** What a command drew, with the line that stood there last at the moment of the frame. */
async function record({ args, frame }) {
  const env = {
    PATH: process.env.PATH,
    TERM: 'xterm-256color',
    MODELRUN_STATE_DIR: folder,
    MODELRUN_API_KEY: server.apiKey,
    MODELRUN_BASE_URL: url,
  }
  const words = args.map((arg) => arg.replaceAll("'", ''))
  const pty = spawn(process.execPath, [bin, ...words], { cols: COLUMNS, rows: 40, cwd: folder, env })
  let drawn = ''
  await new Promise((resolve) => {
    pty.onData((data) => {
      drawn += data
    })
    pty.onExit(resolve)
  })
  const redraws = drawn.split('\r\x1b[2K')
  const shown = frame === undefined ? drawn : [redraws[0], redraws.find((text) => frame.test(text))].join('')
  return [`\x1b[2m$ modelrun ${args.join(' ')}\x1b[22m`, ...linesOf(shown), '']
}

/** A line that was drawn again shows what was drawn last. */
function linesOf(drawn) {
  return drawn
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.split('\r\x1b[2K').at(-1))
    .filter((line, index, all) => line !== '' || index < all.length - 1)
    .flatMap(wrap)
}

/** A line that is too long continues in the next one, as in a terminal. Styles have no width. */
function wrap(line) {
  const parts = line.split(STYLE).flatMap((part) => (part.startsWith('\x1b') ? [part] : [...part]))
  const lines = ['']
  let width = 0
  for (const part of parts) {
    if (!part.startsWith('\x1b') && width++ % COLUMNS === 0 && width > 1) lines.push('')
    lines[lines.length - 1] += part
  }
  return lines
}

const CLASSES = { 1: 'b', 2: 'd', 31: 'r', 32: 'g', 33: 'y' }

/** The parts of a line, each with its style. */
function spansOf(line) {
  let style = ''
  return line.split(STYLE).flatMap((part) => {
    const code = STYLE.test(part) ? part.slice(2, -1) : undefined
    if (code !== undefined) style = CLASSES[code] ?? ''
    return code !== undefined || part === '' ? [] : [{ style, text: part }]
  })
}

function textElement(line, index) {
  const spans = spansOf(line)
  const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const parts = spans.map(({ style, text }) =>
    style ? `<tspan class="${style}">${escaped(text)}</tspan>` : escaped(text),
  )
  const length = spans.reduce((sum, { text }) => sum + [...text].length, 0)
  if (length === 0) return ''
  const width = (length * CHARACTER).toFixed(1)
  return `<text x="16" y="${48 + index * LINE}" textLength="${width}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">${parts.join('')}</text>`
}

function svgOf(lines) {
  const [width, height] = [Math.round(COLUMNS * CHARACTER + 32), 48 + lines.length * LINE]
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>modelrun in a terminal: the list of models, a misspelled option, a run, and a batch</title>
<style>
text { font: ${SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #e6e6e6 }
.b { font-weight: bold } .d { fill: #8fa3b8 } .r { fill: #ff7b72 } .g { fill: #7ee787 } .y { fill: #e3b341 }
</style>
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
<circle cx="20" cy="18" r="5" fill="#ff7b72"/><circle cx="38" cy="18" r="5" fill="#e3b341"/><circle cx="56" cy="18" r="5" fill="#7ee787"/>
${lines.map(textElement).filter(Boolean).join('\n')}
</svg>
`
}

const lines = []
for (const scene of SCENES) lines.push(...(await record(scene)))
await close()
rmSync(folder, { recursive: true })
mkdirSync(dirname(picture), { recursive: true })
writeFileSync(picture, svgOf(lines.slice(0, -1)))
console.log(`Written: ${picture}`)
