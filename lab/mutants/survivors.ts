/** What no check notices, and why. A test fails when one of them is noticed after all. */
export const SURVIVORS: ReadonlyMap<string, string> = new Map()
