/** The id that was probably meant: at most a third of its letters differ. */
export function closestId(id: string, candidates: Iterable<string>): string | undefined {
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of candidates) {
    const limit = Math.min(Math.floor(candidate.length / 3), (best?.distance ?? Number.POSITIVE_INFINITY) - 1)
    // The difference of the lengths is the least that they can differ by.
    if (Math.abs(candidate.length - id.length) > limit) continue
    const distance = differingLetters(id, candidate)
    if (distance <= limit) best = { candidate, distance }
  }
  return best?.candidate
}

/** How many letters must be added, removed or replaced (Levenshtein). */
function differingLetters(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, letter] of from.split('').entries()) {
    const next = [index + 1]
    for (const [column, other] of to.split('').entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
