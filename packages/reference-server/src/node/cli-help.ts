import { FAULT_KINDS } from '../faults/fault-options.ts'
import { GROUPS, OPTION_LIST } from './cli-option-table.ts'

/** So many fit into a line of a terminal. */
const KINDS_PER_LINE = 6

const KIND_LINES = Array.from({ length: Math.ceil(FAULT_KINDS.length / KINDS_PER_LINE) }, (_, line) => {
  const kinds = FAULT_KINDS.slice(line * KINDS_PER_LINE, (line + 1) * KINDS_PER_LINE)
  return `  ${kinds.join(', ')}`
})

/** The text of `--help`. */
export const HELP = [
  'Usage: modelrun-server [options]',
  '',
  'Runs the model inference service in memory and serves it over HTTP.',
  'Documentation: node_modules/@modelrun/reference-server/docs/reference-server.md',
  ...GROUPS.flatMap((group) => [
    '',
    `${group}:`,
    ...OPTION_LIST.filter(([, option]) => option.group === group).map(
      ([name, option]) =>
        `  ${`--${name} ${option.value}`.padEnd(25)} ${option.help}${option.multiple ? '; repeatable' : ''}`,
    ),
  ]),
  '',
  'Kinds of faults:',
  ...KIND_LINES,
  '',
  'Control API, to steer it from any language:',
  '  JSON below /_reference, such as POST /_reference/reset; GET /_reference lists all calls.',
  '  The documentation has them in its section "From other languages".',
  '',
  'Examples:',
  '  modelrun-server --scale 60',
  '  modelrun-server --port 0 --json --clock auto',
  '  modelrun-server --fault unavailable,probability=0.2 --fault reset,route=runModel,when=after',
  '  modelrun-server --latency 2000/9000 --assume asyncRunStatus=200',
].join('\n')
