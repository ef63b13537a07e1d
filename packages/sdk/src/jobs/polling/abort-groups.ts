/** Members that end when their signal aborts: one listener for each signal, however many members share it. */
export interface AbortGroups<M> {
  add(signal: AbortSignal, member: M): void
  /** Takes a member out; the last one of a signal takes the listener with it. */
  remove(signal: AbortSignal, member: M): void
}

/** @param onAbort Called with the members of a signal that aborted, in the order in which they were added */
export function createAbortGroups<M>(onAbort: (members: readonly M[]) => void): AbortGroups<M> {
  const groups = new Map<AbortSignal, { members: Set<M>; listener: () => void }>()

  function open(signal: AbortSignal): { members: Set<M>; listener: () => void } {
    const members = new Set<M>()
    const listener = () => {
      groups.delete(signal)
      onAbort([...members])
    }
    signal.addEventListener('abort', listener, { once: true })
    const group = { members, listener }
    groups.set(signal, group)
    return group
  }

  return {
    add: (signal, member) => {
      const { members } = groups.get(signal) ?? open(signal)
      members.add(member)
    },
    remove: (signal, member) => {
      const group = groups.get(signal)
      group?.members.delete(member)
      if (group?.members.size !== 0) return
      signal.removeEventListener('abort', group.listener)
      groups.delete(signal)
    },
  }
}
