import type { CrashHandlers, CrashSetup, ProcessTools } from '../webhooks/testing/crashes/crash-setup.ts'

/** A handler of the simulation. */
export type OnSucceeded = NonNullable<CrashHandlers['onSucceeded']>

/** A set-up whose effects are a list of texts. */
export function crashSetupOf(createHandler: (tools: ProcessTools, effects: string[]) => OnSucceeded): () => CrashSetup {
  return () => {
    const effects: string[] = []
    return { handlers: (tools) => ({ onSucceeded: createHandler(tools, effects) }), effects: () => effects }
  }
}

/** A handler that sends a mail each time. */
export const sendMail = crashSetupOf(
  ({ step }, mails) =>
    () =>
      step('send', () => mails.push('mail')),
)
