// Draws the charts of `docs/images`, and writes the tables of figures in documents, from `lab/bench/results`: `npm run charts`.
// A test says when one is out of date.
import { writeFileSync } from 'node:fs'
import { figures, readDocument, withFigures } from './figures.ts'
import { numberOf, tableOf } from './results.ts'

const WIDTH = 720
const STYLE = `<style>
  text { font: 13px system-ui, sans-serif; fill: #12151d }
  .title { font-weight: 600; font-size: 15px }
  .muted { fill: #566074; font-size: 12px }
  .other { fill: #9aa4b8 }
  .ours { fill: #4f46e5 }
  .axis { stroke: #c4cad8 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e9edf5 }
    .muted { fill: #9ba7ba }
    .other { fill: #56627a }
    .ours { fill: #8b8fff }
    .axis { stroke: #3b4557 }
  }
</style>`

/** Each chart by the name of its file. */
export const charts: Record<string, () => string> = {
  'chart-payments.svg': () => {
    const { head, rows, indexOf } = tableOf('double-charge', '| client | call |')
    const faults = head.filter((column) => column !== 'client' && column !== 'call')
    const groups = faults.map((fault) => ({
      label: fault,
      bars: rows.map((cells) => ({ label: cells[0], value: numberOf(cells[indexOf(fault)]) })),
    }))
    return bars({ title: 'Requests for one paid run, each of which may be charged', groups, isOneScale: true })
  },
  'chart-polls.svg': () => {
    const points = ['durations known', 'first job ever'].flatMap((kind) => {
      const { rows, indexOf } = tableOf('waits', `### 40 s job, ${kind}`)
      return rows.map((cells) => ({
        label: cells[0] === 'modelrun' ? `modelrun, ${kind}` : cells[0],
        x: numberOf(cells[indexOf('polls')]),
        y: numberOf(cells[indexOf('mean lag ms')]),
      }))
    })
    // The others learn nothing from earlier jobs: one point each.
    const shown = points.filter(({ label }, index) => points.findIndex((point) => point.label === label) === index)
    return scatter({
      title: 'A job of 40 s: polls, and how late its end is known',
      x: 'polls',
      y: 'lag, ms',
      points: shown,
    })
  },
  'chart-responses.svg': () => {
    const { rows, indexOf } = tableOf('reference-server', '| server | responses/s |')
    const column = (name: string) => rows.map((cells) => ({ label: cells[0], value: numberOf(cells[indexOf(name)]) }))
    const ratios = column('responses in the same CPU time, to bare hono')
    const starts = column('start, ms')
    return bars({
      title: 'The reference server beside other servers',
      groups: [
        { label: 'responses in the same processor time, to bare hono (more is better)', bars: ratios },
        { label: 'start to first response, ms (less is better)', bars: starts },
      ],
    })
  },
  'chart-growth.svg': () => {
    const { rows, indexOf } = tableOf('durable-growth', '| store | processes |')
    const ofSqlite = rows.filter(([store]) => store === 'sqlite')
    const of = (column: string) =>
      ofSqlite.map((cells) => ({
        label: `modelrun, ${cells[indexOf('keys')]}`,
        value: Math.max(...(cells[indexOf(column)] ?? '').split(', ').map(numberOf)),
      }))
    const memory = {
      label: 'peak memory of the process, MB',
      bars: of('peak memory of a process, MB: add, work, read'),
    }
    return bars({
      title: 'A durable batch on SQLite, by its number of keys',
      groups: [memory, { label: 'progress(), ms', bars: of('progress(), ms') }],
    })
  },
}

const isOurs = (label: string) => /modelrun|reference server/.test(label)

/** The end of an axis: two digits that divide by two. */
function niceEnd(values: readonly number[]): number {
  const most = Math.max(...values)
  const step = 2 * 10 ** Math.floor(Math.log10(most) - 0.5)
  return Math.ceil((most * 1.02) / step) * step
}

interface Group {
  label: string
  bars: readonly { label: string; value: number }[]
}

interface Bars {
  title: string
  groups: readonly Group[]
  /** Whether all groups have one unit. */
  isOneScale?: boolean
}

function bars({ title, groups, isOneScale = false }: Bars): string {
  const mostOf = (some: readonly Group[]) => Math.max(...some.flatMap((group) => group.bars.map(({ value }) => value)))
  let y = 34
  const parts = groups.flatMap(({ label, bars: group }) => {
    y += 26
    const head = text([0, y], label, 'muted')
    const most = mostOf(isOneScale ? groups : [{ label, bars: group }])
    const lines = group.map(({ label: name, value }) => {
      y += 22
      const width = Math.max(2, (value / most) * (WIDTH - 240))
      const bar = `<rect class="${isOurs(name) ? 'ours' : 'other'}" x="140" y="${y - 13}" width="${width.toFixed(1)}" height="16" rx="3"/>`
      return `${text([0, y], name)}${bar}${text([148 + width, y], value.toLocaleString('en'))}`
    })
    y += 6
    return [head, ...lines]
  })
  return svg(title, y + 14, parts)
}

interface Scatter {
  title: string
  x: string
  y: string
  points: readonly { label: string; x: number; y: number }[]
}

function scatter({ title, x, y, points }: Scatter): string {
  const height = 320
  const [left, bottom] = [60, height - 44]
  const mostX = niceEnd(points.map((point) => point.x))
  const mostY = niceEnd(points.map((point) => point.y))
  const placeX = (value: number) => left + (value / mostX) * (WIDTH - left - 110)
  const placeY = (value: number) => bottom - (value / mostY) * (bottom - 50)
  const ticks = [0, 0.5, 1].flatMap((share) => [
    text([placeX(mostX * share), bottom + 20], mostX * share, 'muted'),
    text([0, placeY(mostY * share) + 4], (mostY * share).toLocaleString('en'), 'muted'),
  ])
  const axes = `<path class="axis" fill="none" d="M${left} 50V${bottom}H${WIDTH}"/>`
  const marks = points.map((point) => {
    const circle = `<circle class="${isOurs(point.label) ? 'ours' : 'other'}" cx="${placeX(point.x).toFixed(1)}" cy="${placeY(point.y).toFixed(1)}" r="6"/>`
    return `${circle}${text([placeX(point.x) + 10, placeY(point.y) + (point.label === 'fal' ? -6 : 8)], point.label)}`
  })
  return svg(title, height, [
    axes,
    ...ticks,
    text([WIDTH - 40, bottom + 38], x, 'muted'),
    text([left + 6, 56], y, 'muted'),
    ...marks,
  ])
}

function text([x, y]: [x: number, y: number], content: string | number, name?: string): string {
  const kind = name ? ` class="${name}"` : ''
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${kind}>${content}</text>`
}

function svg(title: string, height: number, parts: readonly string[]): string {
  const size = `viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"`
  const lines = [`<title>${title}</title>`, STYLE, text([0, 18], title, 'title'), ...parts]
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" ${size}>\n${lines.join('\n')}\n</svg>\n`
}

if (import.meta.main) {
  for (const [name, draw] of Object.entries(charts)) {
    writeFileSync(new URL(`../docs/images/${name}`, import.meta.url), draw())
  }
  for (const path of figures) writeFileSync(new URL(`../${path}`, import.meta.url), withFigures(readDocument(path)))
}
