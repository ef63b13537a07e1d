/** The name that was probably meant: at most a third of its letters differ. */
export function closestName(name: string, candidates: readonly string[]): string | undefined {
  const distances = candidates.map((candidate) => ({
    candidate,
    distance: editDistance(name.toLowerCase(), candidate.toLowerCase()),
  }))
  const near = distances.filter(({ candidate, distance }) => distance <= Math.max(1, candidate.length / 3))
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.candidate
}

/** How many letters must be added, removed or changed (Levenshtein). */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...to].entries()) {
      const change = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(change, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous[to.length] ?? 0
}
