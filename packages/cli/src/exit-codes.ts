/** The exit codes. Scripts depend on these numbers: they do not change. */
export const EXIT = {
  done: 0,
  /** A job failed or was cancelled, or a check found a problem. */
  failed: 1,
  /** The command line is wrong. Nothing was sent. */
  usage: 2,
  /** The service, a limit or the network rejected the call. Nothing was charged. */
  rejected: 3,
  /** A run may have been charged, and its result is not here. */
  unknown: 4,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
