/** A request that must not get through. */
export interface Attack {
  name: string
  /** Why it is rejected, and what it could do otherwise. */
  why: string
  /** Method and path, as they are written into the request. */
  target: string
  headers?: Record<string, string | undefined> | undefined
  body?: string | Buffer
  status: number
}

/** The run that attacks vary. */
export const RUN = 'POST /api/modelrun/v1/models/aurora-image/run'
export const BODY = JSON.stringify({ input: { prompt: 'x' }, sync: false })
/** An attack by a run. */
export const run = (attack: Omit<Attack, 'target'>): Attack => ({ target: RUN, body: BODY, ...attack })
