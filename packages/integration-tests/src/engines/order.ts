/** What goes wrong in a workflow: nothing, or once. */
export type RecipeFault = 'none' | 'lost-response' | 'death' | 'two-at-once' | 'lost-webhook' | 'lost-store'

/** How a step sends: by a client as it is, or by `runs.send`. */
export type Variant = 'naive' | 'ours'

/** What a step needs for its order. */
export interface Plan {
  apiKey: string
  baseUrl: string
  variant: Variant
  fault: RecipeFault
}

/** A video that a workflow is to make. */
export interface Order {
  orderId: string
  prompt: string
  /** Of the workflow. */
  id: string
}
