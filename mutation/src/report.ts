import { relative } from 'node:path'

interface Mutant {
  fileName: string
  status: string
  mutatorName: string
  replacement?: string | undefined
  location: { start: { line: number; column: number }; end: { line: number; column: number } }
}

const escaped = ['Survived', 'NoCoverage']

// One row of bench/results/mutation.md, and the mutants that no test noticed.
export function report(target: string, mutants: readonly Mutant[]): string {
  const count = (status: string) => mutants.filter((mutant) => mutant.status === status).length
  const found = count('Killed') + count('Timeout')
  const missed = count('Survived') + count('NoCoverage')
  const score = ((100 * found) / (found + missed)).toFixed(1)
  const survivors = mutants.filter(({ status }) => escaped.includes(status)).map(line)
  const row = [target, found + missed, count('Killed'), count('Timeout'), count('Survived'), count('NoCoverage'), score]
  return [
    '',
    '| folder | mutants | killed | timeout | survived | no coverage | score % |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    `| ${row.join(' | ')} |`,
    `Not judged: ${count('Ignored')} ignored, ${count('RuntimeError') + count('CompileError')} that do not run.`,
    '',
    ...survivors.sort(),
  ].join('\n')
}

function line({ fileName, status, mutatorName, replacement, location }: Mutant): string {
  const { start } = location
  const place = `${relative(process.cwd(), fileName)}:${start.line}:${start.column}`
  return `${place} ${status} ${mutatorName} -> ${(replacement ?? '').replaceAll(/\s+/g, ' ').slice(0, 100)}`
}
