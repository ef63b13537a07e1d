import { relative } from 'node:path'
import type { MutantResult } from '@stryker-mutator/api/core'

/** True when no test noticed the mutant. */
export function isMissed({ status }: MutantResult): boolean {
  return status === 'Survived' || status === 'NoCoverage'
}

/** One row of lab/bench/results/mutation.md, and the mutants that no test noticed. */
export function report(target: string, mutants: readonly MutantResult[]): string {
  const count = (status: MutantResult['status']) => mutants.filter((mutant) => mutant.status === status).length
  const found = count('Killed') + count('Timeout')
  const missed = mutants.filter(isMissed)
  const score = ((100 * found) / (found + missed.length)).toFixed(1)
  const counts = [found + missed.length, count('Killed'), count('Timeout'), count('Survived'), count('NoCoverage')]
  return [
    '',
    '| folder | mutants | killed | timeout | survived | no coverage | score % |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    `| ${[target, ...counts, score].join(' | ')} |`,
    `Not judged: ${count('Ignored')} ignored, ${count('RuntimeError') + count('CompileError')} that do not run.`,
    '',
    ...missed.map(lineOf).sort(),
  ].join('\n')
}

/** A mutant in one line. */
export function lineOf({ fileName, status, mutatorName, replacement = '', location: { start } }: MutantResult): string {
  const place = `${relative(process.cwd(), fileName)}:${start.line}:${start.column}`
  return `${place} ${status} ${mutatorName} -> ${replacement.replaceAll(/\s+/g, ' ').slice(0, 100)}`
}
