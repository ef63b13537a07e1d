/**
 * The name that was probably meant, for a "Did you mean".
 *
 * @returns the known name that differs in the fewest letters, two at most and fewer in short names; `undefined` when
 *   none is that close
 */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  let closest: string | undefined
  let bestDistance = Math.min(2, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate)
    if (distance < bestDistance) [closest, bestDistance] = [candidate, distance]
  }
  return closest
}

/** Letters to insert, delete or replace. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}
