import statements from '../requirements.json' with { type: 'json' }

/** One statement of the specification that can be observed. */
export interface Requirement {
  /** Section and number, such as `4.1-07`. */
  id: string
  /** Section of the specification. */
  section: string
  /** `must`: the specification states it. `open`: it leaves it open, so the suite records what happens. */
  level: 'must' | 'open'
  /** One sentence in our own words. */
  statement: string
  /** Id of the check that covers it. */
  check: string
}

/** Every statement that the suite covers, in the order of the specification. */
export const REQUIREMENTS = statements as readonly Requirement[] // the file has no other levels

export function requirementsOf(checkId: string): readonly Requirement[] {
  return REQUIREMENTS.filter(({ check }) => check === checkId)
}
