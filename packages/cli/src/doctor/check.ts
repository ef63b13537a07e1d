/** What a check found. */
export interface Check {
  name: string
  /** `skipped`: it could not be checked, and that is not a problem. */
  state: 'ok' | 'problem' | 'skipped'
  /** What was found, and what to do about it. */
  text: string
}

export function ok(name: string, text: string): Check {
  return { name, state: 'ok', text }
}

export function problem(name: string, text: string): Check {
  return { name, state: 'problem', text }
}

export function skipped(name: string, text: string): Check {
  return { name, state: 'skipped', text }
}
