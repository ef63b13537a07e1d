import type { AssumptionNote, NoteText, SwitchName } from './assumption-note.ts'
import { ENDPOINT_ASSUMPTIONS } from './assumption-notes-endpoints.ts'
import { SERVICE_ASSUMPTIONS } from './assumption-notes-service.ts'
import { DEFAULT_ASSUMPTIONS } from './assumptions.ts'

/** By name. A switch without a note does not compile. */
const TEXTS: Readonly<Record<string, NoteText> & Record<SwitchName, NoteText>> = {
  ...ENDPOINT_ASSUMPTIONS,
  ...SERVICE_ASSUMPTIONS,
}

/** Everything that the server does although the specification does not define it. */
export const ASSUMPTION_NOTES: readonly AssumptionNote[] = /* @__PURE__ */ Object.entries(TEXTS).map(
  ([name, text]) => ({
    name,
    ...text,
    ...(isSwitch(name) ? { switch: name } : {}),
  }),
)

function isSwitch(name: string): name is SwitchName {
  return Object.hasOwn(DEFAULT_ASSUMPTIONS, name)
}
