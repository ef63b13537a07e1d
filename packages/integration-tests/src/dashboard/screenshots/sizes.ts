/** So large a picture may be. */
export const MAX_BYTES = 180_000

export const SIZES = [
  { name: 'wide', viewport: { width: 1_280, height: 800 } },
  { name: 'narrow', viewport: { width: 390, height: 844 } },
]

/** The diagram is shown whole. */
export const JOB_HEIGHT = 1_080
